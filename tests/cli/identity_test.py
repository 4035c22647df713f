"""What a run stands on is asked wherever it is used again: text, checkpoint, kernels, program."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

from support import PROGRAM, CommandCase, strict_json, tree

LINES = "".join(f"line {i} of a text that is long enough for a window or two\n" for i in range(60))
TEXT = """question: Does it carry?
data: { corpus: text, valid: 0.2 }
model: { layers: 1, width: 16, heads: 2 }
encoding: { kind: rope }
train: { length: 16, steps: 8, batch_tokens: 64, shards: 4, checkpoint_every: 3, seed: 1 }
evaluate: { lengths: [16, 32], protocols: [non_overlapping] }
"""
CHILD = "from: { run: base }\ndata: { corpus: text, valid: 0.2 }\ntrain: { steps: 2, batch_tokens: 64 }\n"
ARMS = "vary={arm: [{name: rope, encoding: {kind: rope}}, {name: nope, encoding: {kind: nope}}]}"


def lower_target():
    """A set of kernels that this machine has and does not take by itself, or None."""
    own = json.loads(subprocess.run([PROGRAM, "version", "--json"], capture_output=True, check=True).stdout)["target"]
    for target in "avx2", "sse4":
        ran = subprocess.run([PROGRAM, "version"], env={**os.environ, "LOCUS_TARGET": target}, capture_output=True)
        if target != own and ran.returncode == 0:
            return own, target
    return own, None


class Identity(CommandCase):
    def setUp(self):
        super().setUp()
        self.change_text(LINES)
        self.write("t.yaml", TEXT)

    def change_text(self, text):
        for i in range(5):
            self.write(f"text/{i}.txt", f"{i} {text}")

    def manifest(self, run):
        return strict_json((self.folder / run / "manifest.json").read_text())

    def summary(self, run):
        return strict_json((self.folder / run / "evaluations" / "summary.json").read_text())

    def stop_after_a_checkpoint(self, out, steps=20000):
        process = self.start("train", "t.yaml", f"train.steps={steps}", "--out", out)
        deadline = time.monotonic() + 60
        while not list((self.folder / out / "checkpoints").glob("step_*.h5")) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 75)

    def test_another_text_is_refused_wherever_a_run_is_used(self):
        self.locus("run", "t.yaml", "--out", "all")
        shutil.move(self.folder / "all" / "t", self.folder / "base")
        self.write("search.yaml", "from: { run: base }\ndata: { corpus: text, valid: 0.2 }\n"
                   "search: { population: 2, parents: 1, iterations: 1, windows: 1 }\n")
        self.write("child.yaml", CHILD)
        self.stop_after_a_checkpoint("stopped")
        hash_before = self.manifest("base")["corpus"]["hash"]
        for text in LINES.replace("line 7", "line 8"), LINES + "x":
            self.change_text(text)
            self.refuses(3, "eval", "base", says=["base", "corpus", hash_before, "here"])
            self.refuses(3, "eval", "base", "--lengths", "8", says=hash_before)
            self.refuses(3, "verify", "base", says=hash_before)
            kept = tree(self.folder / "stopped")
            _, err = self.locus("train", "t.yaml", "train.steps=20000", "--out", "stopped", code=3)
            self.assertRegex(err.splitlines()[-1], f"locus: stopped: the corpus differs: {hash_before} there")
            self.assertEqual(tree(self.folder / "stopped"), kept)
            _, err = self.locus("train", "child.yaml", "--out", "child", code=3)
            self.assertIn(hash_before, err.splitlines()[-1])
            self.assertFalse((self.folder / "child").exists())
            self.refuses(3, "search", "search.yaml", "--out", "found", says=hash_before)
        # said, it is done, and every number says so
        out, err = self.locus("eval", "base", "--allow-changed-corpus", "--keep")
        self.assertIn("another text", out)
        self.assertIn(hash_before, err)
        self.assertIn("another text", json.dumps(self.summary("base")["runs"]))
        entry = self.manifest("base")["history"][-1]
        self.assertEqual((entry["event"], entry["changes"][0]["thing"], entry["changes"][0]["there"]),
                         ("evaluated", "corpus", hash_before))
        self.assertEqual(self.manifest("base")["corpus"]["hash"], hash_before)
        self.assertIn("another text", self.locus("table", "base")[0])
        # names of documents that change what validates
        self.change_text(LINES)
        (self.folder / "text" / "4.txt").rename(self.folder / "text" / "0a.txt")
        self.refuses(3, "eval", "base", says="corpus")

    def test_cells_of_two_texts_do_not_come_together(self):
        self.locus("run", "t.yaml", ARMS, "--out", "all")
        shutil.rmtree(self.folder / "all" / "nope")
        self.change_text(LINES + "more")
        _, err = self.locus("run", "t.yaml", ARMS, "--out", "all", code=1)
        self.assertRegex(err, "failed: nope: .*rope: was trained on another text")
        self.locus("run", "t.yaml", ARMS.replace("arm: [{name: rope, encoding: {kind: rope}}, ", "arm: ["), "--out", "other")
        shutil.rmtree(self.folder / "all" / "nope")  # it says why the cell failed
        shutil.move(self.folder / "other" / "nope", self.folder / "all" / "nope")
        first = self.locus("table", "all")[0].splitlines()[0]
        self.assertIn("WARNING", first)
        for run in "rope", "nope":
            self.assertIn(f"{self.manifest('all/' + run)['corpus']['hash']} ({run})", first)

    def test_results_belong_to_their_run(self):
        self.locus("run", "t.yaml", ARMS, "--out", "all")
        mine = self.folder / "all" / "rope" / "evaluations" / "summary.json"
        kept = mine.read_bytes()
        self.assertEqual(self.summary("all/rope")["measured"]["parameters"], self.manifest("all/rope")["parameters_hash"])
        shutil.copy(self.folder / "all" / "nope" / "evaluations" / "summary.json", mine)
        self.refuses(5, "table", "all", says=["rope/evaluations/summary.json", "measured on another run"])
        edited = strict_json(kept.decode())
        edited["runs"][0]["results"][0]["bits_per_byte"] -= 0.01
        mine.write_text(json.dumps(edited))
        self.refuses(5, "table", "all", says=["rope/evaluations/summary.json", "changed after"])
        del edited["checksum"]
        mine.write_text(json.dumps(edited))
        self.refuses(5, "table", "all", says="checksum")
        for measured in 3, {"parameters": 3}, []:
            mine.write_text(json.dumps({**edited, "measured": measured}))
            self.refuses(5, "table", "all", says="rope/evaluations/summary.json")
        mine.write_bytes(kept)
        self.locus("table", "all")

    def test_a_recipe_that_was_edited_stands_in_the_first_line(self):
        self.locus("run", "t.yaml", ARMS, "--out", "all")
        self.locus("run", "t.yaml", ARMS, "table.cell=nats_per_token", "--out", "all")  # writes them anew
        self.assertNotIn("WARNING", self.locus("table", "all")[0])
        for run in "rope", "nope":
            path = self.folder / "all" / run / "recipe.yaml"
            text = path.read_text()
            edited = re.sub(r"(?m)^  lr: .*$", "  lr: 0.5", text, count=1)
            self.assertNotEqual(edited, text)
            path.write_text(edited)
        first = self.locus("table", "all")[0].splitlines()[0]
        for run in "rope", "nope":
            self.assertIn(f"{run}/recipe.yaml was changed after it was written", first)
        self.locus("table", "all", "--strict", code=1)

    def test_other_kernels_are_told_and_recorded(self):
        own, lower = lower_target()
        if lower is None:
            self.skipTest(f"not run: this machine has {own} alone")
        other = {"LOCUS_TARGET": lower}
        self.locus("run", "t.yaml", ARMS, "--out", "all")
        _, err = self.locus("eval", "all/rope", environment=other)
        self.assertIn(f"the kernels differ: {own} there, {lower} here", err)
        history = self.manifest("all/rope")["history"]
        self.assertEqual([(e["event"], [c["thing"] for c in e["changes"]]) for e in history], [("evaluated", ["kernels"])])
        for words in ["sample", "all/rope", "--prompt", "a", "--tokens", "2", "--json"], ["card", "all/rope"], ["verify", "all/rope"]:
            self.assertIn(f"{own} there, {lower} here", self.locus(*words, environment=other)[1])
        self.assertNotIn("WARNING", self.locus("table", "all")[0])  # nothing of it was kept
        self.locus("eval", "all/rope", "--keep", environment=other)
        self.assertIn(f"kernels: {own}", self.locus("table", "all")[0].splitlines()[0])

        self.stop_after_a_checkpoint("stopped", 4000)
        before = self.manifest("stopped")
        _, err = self.train("stopped", "train.steps=4000", recipe="t.yaml", environment=other)
        self.assertIn(f"the kernels differ: {own} there, {lower} here", err)
        after = self.manifest("stopped")
        self.assertEqual((after["machine"], after["started"]), (before["machine"], before["started"]))
        self.assertEqual(after["history"][-1]["changes"], [{"thing": "kernels", "there": own, "here": lower}])

        shutil.rmtree(self.folder / "all" / "nope")
        self.locus("run", "t.yaml", ARMS, "--out", "all", environment=other)
        first = self.locus("table", "all")[0].splitlines()[0]
        self.assertRegex(first, f"WARNING.*kernels: .*{lower}")

    def test_products_by_openblas_are_other_kernels(self):
        self.train("run", "--gemm", "openblas", recipe="t.yaml")
        self.assertRegex(self.manifest("run")["machine"]["target"], r"\w+, openblas\Z")
        self.newest_checkpoint("run").unlink()
        _, err = self.train("run", "--gemm", "own", recipe="t.yaml")
        self.assertRegex(err, "the kernels differ: .*, openblas there")
        self.assertEqual([c["thing"] for c in self.manifest("run")["history"][-1]["changes"]], ["kernels"])
        _, err = self.train("again", recipe="t.yaml")
        self.newest_checkpoint("again").unlink()
        self.assertNotIn("differ", self.train("again", "--gemm", "own", recipe="t.yaml")[1])

    def test_a_damaged_newest_checkpoint(self):
        self.locus("run", "t.yaml", "--out", "all")
        shutil.move(self.folder / "all" / "t", self.folder / "base")
        self.write("child.yaml", CHILD)
        newest = self.newest_checkpoint("base")
        content = bytearray(newest.read_bytes())
        content[len(content) // 2] ^= 1
        newest.write_bytes(content)
        for words in (["eval", "base"], ["sample", "base", "--prompt", "a", "--tokens", "2", "--json"], ["card", "base"]):
            _, err = self.locus(*words)
            self.assertIn("step_00000008.h5", err)
            self.assertIn("step_00000006.h5: this older checkpoint stands in", err)
        # what was measured on it are no results of this run
        before = (self.folder / "base" / "evaluations" / "summary.json").read_bytes()
        shutil.copytree(self.folder / "base", self.folder / "bare")
        shutil.rmtree(self.folder / "bare" / "evaluations")
        for words in ["base", "--keep"], ["bare"], ["bare", "--keep", "--lengths", "8"]:
            out, err = self.locus("eval", *words)
            self.assertIn("bits per byte", out)
            self.assertRegex(err, "not kept: .* other parameters than those it was trained to")
        self.assertEqual((self.folder / "base" / "evaluations" / "summary.json").read_bytes(), before)
        self.assertFalse((self.folder / "bare" / "evaluations" / "summary.json").exists())
        self.locus("table", "base")
        self.refuses(5, "train", "child.yaml", "--out", "child", says=["step_00000008.h5", "from.step: 6"])
        self.refuses(5, "search", "child.yaml", "--out", "found", says=["step_00000008.h5", "from.step: 6"])
        self.train("child", "from.step=6", recipe="child.yaml")

    def test_manifests_say_when_where_and_how(self):
        self.train("run", recipe="t.yaml")
        started = self.manifest("run")["started"]
        self.assertRegex(started["date"], r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")
        self.assertTrue(started["host"])
        self.assertIn("train t.yaml --out run", started["command"])
        state = strict_json(self.locus("inspect", self.newest_checkpoint("run"), "--json")[0])
        time.sleep(1.1)
        self.train("again", recipe="t.yaml")
        again = strict_json(self.locus("inspect", self.newest_checkpoint("again"), "--json")[0])
        self.assertEqual(state["state_hash"], again["state_hash"])
        self.assertEqual(self.newest_checkpoint("run").read_bytes(), self.newest_checkpoint("again").read_bytes())
        self.assertEqual(state["corpus"], self.manifest("run")["corpus"]["hash"])
        self.assertEqual(state["parameters_hash"], self.manifest("run")["parameters_hash"])

    def test_a_folder_of_something_else(self):
        for name, content in ("manifest.json", '{"name": "an app"}'), ("metrics.jsonl", "{}"), ("checkpoints/a", "x"):
            self.write(f"foreign/{name}", content)
            self.refuses(5, "train", "t.yaml", "--out", "foreign", says=["foreign", name.split("/")[0]])
            self.write(f"all/t/{name}", content)
            self.refuses(5, "run", "t.yaml", "--out", "all", says=["all/t", name.split("/")[0]])
            shutil.rmtree(self.folder / "foreign")
            shutil.rmtree(self.folder / "all")

    def test_manifest_fields_of_other_types(self):
        self.locus("run", "t.yaml", "--out", "all")
        path = self.folder / "all" / "t" / "manifest.json"
        kept = path.read_text()
        for field, value in ("machine", 3), ("machine", {"target": 3}), ("corpus", "x"), ("corpus", {"splits": 1}), \
                ("corpus", {"hash": []}), ("parameters_hash", 7), ("history", 3), ("steps", "x"), ("history", [3]), \
                ("history", [{"event": "resumed", "changes": 3}]), ("state", []), ("cell", 3), ("varied", 3), ("index", "x"):
            path.write_text(json.dumps({**strict_json(kept), field: value}))
            for words in ["eval", "all/t", "--keep"], ["table", "all"], ["train", "t.yaml", "--out", "all/t"], \
                    ["run", "t.yaml", "--out", "all"], ["card", "all/t"]:
                process = self.start(*words)
                _, err = (part.decode() for part in process.communicate(timeout=60))
                self.assertIn(process.returncode, (0, 5), (field, value, words, err))
                self.assertNotIn("unexpected", err, (field, value, words))
                if process.returncode == 5:
                    self.assertIn("manifest.json", err + "manifest.json" * ("summary" in err))
                path.write_text(json.dumps({**strict_json(kept), field: value}))


if __name__ == "__main__":
    unittest.main()
