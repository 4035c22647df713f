"""What `eval` and `logits` give, where it goes, and what they leave alone."""

import math
import os
import shutil
import struct
import subprocess
import unittest

from support import PROGRAM, CommandCase, strict_json


class Results(CommandCase):
    def setUp(self):
        super().setUp()
        self.locus("run", "r.yaml", "--out", "all")
        self.run_folder = self.folder / "all" / "r"

    def evaluations(self):
        return {path.name: path.read_bytes() for path in (self.run_folder / "evaluations").iterdir()}

    def numbers(self, *words):
        return strict_json(self.locus("eval", "all/r", "--json", *words)[0])["runs"]

    def test_nothing_is_written_over_without_a_word(self):
        kept = self.evaluations()
        (self.run_folder / "evaluations" / "summary.json").write_text("a colleague's")
        _, err = self.locus("eval", "all/r")
        self.assertIn("not kept", err)
        self.assertIn("--keep", err)
        self.assertEqual((self.run_folder / "evaluations" / "summary.json").read_text(), "a colleague's")
        out, err = self.locus("eval", "all/r", "--keep")
        self.assertNotIn("not kept", err)
        self.assertEqual(self.evaluations(), kept)

    def test_others_are_kept_beside(self):
        table = self.locus("table", "all")[0]
        kept = self.evaluations()
        self.assertIn("not kept", self.locus("eval", "all/r", "--lengths", "8,24")[1])
        self.assertEqual(self.evaluations(), kept)
        out, err = self.locus("eval", "all/r", "--lengths", "8,24", "--protocol", "sliding:4", "--protocol",
                              "non_overlapping", "--keep", "--json")
        runs = strict_json(out)["runs"]
        self.assertEqual([run["protocol"] for run in runs], ["sliding:4", "non_overlapping"])
        names = ["sliding-4.lengths-8,24", "non_overlapping.lengths-8,24"]
        self.assertEqual(sorted(set(self.evaluations()) - set(kept)), sorted(f"{n}.{e}" for n in names for e in ("h5", "json")))
        for name, run in zip(names, runs):
            beside = strict_json((self.run_folder / "evaluations" / f"{name}.json").read_text())
            self.assertEqual(beside["runs"][0]["results"], run["results"])
            self.assertLessEqual({"parameters", "corpus", "kernels", "program"}, set(beside["measured"]))
        for name, content in kept.items():
            self.assertEqual((self.run_folder / "evaluations" / name).read_bytes(), content)
        self.assertEqual(self.locus("table", "all")[0], table)
        self.assertEqual(runs, self.numbers("--lengths", "8,24", "--protocol", "sliding:4,non_overlapping"))

    def test_losses_of_tokens_in_a_file(self):
        self.locus("eval", "all/r", "--lengths", "16", "--protocol", "non_overlapping", "--per-token", "one.h5")
        self.locus("eval", "all/r", "--per-token", "two.h5")
        for name, datasets in ("one.h5", {"nats", "document", "index", "target", "lengths"}), \
                ("two.h5", {"non_overlapping/nats", "same_target/nats"}):
            shown = (self.folder / name).read_bytes()
            for dataset in datasets:
                self.assertIn(dataset.rsplit("/")[-1].encode(), shown)
        self.assertIn(b"same_target", (self.folder / "two.h5").read_bytes())
        self.locus("eval", "all/r", "--per-token", "no/such/folder.h5", code=5)

    def test_files_that_hold_something_else_stay(self):
        checkpoint = next((self.run_folder / "checkpoints").glob("*.h5"))
        self.write("text.h5", "a text")
        self.write("text.npy", "a text")
        os.link(checkpoint, self.folder / "linked.h5")
        taken = [checkpoint, "text.h5", "linked.h5", "/dev/full", ".", "no/such/x.h5", self.run_folder / "evaluations" / "non_overlapping.h5"]
        for path in taken:
            self.refuses(5, "eval", "all/r", "--per-token", path, says=["--per-token", str(path)])
        for path in *taken[:3], "text.npy", "no/such/x.npy", taken[-1]:
            self.refuses(5, "logits", "all/r", "--text", "a", "--out", path, says=["--out", str(path)])
        for path in "a.npy", "b.h5":  # their own kind is replaced
            for text in "the", "cat":
                self.locus("logits", "all/r", "--text", text, "--out", path)
            self.locus("eval", "all/r", "--per-token", path, code=5)
        for _ in range(2):
            self.locus("eval", "all/r", "--per-token", "losses.h5")

    def test_a_folder_that_cannot_be_written_to(self):
        if os.geteuid() == 0 and not shutil.which("setpriv"):
            self.skipTest("not run: root may write everywhere")
        expected = self.numbers()
        shutil.rmtree(self.run_folder / "evaluations")
        for path in (self.run_folder, self.run_folder / "manifest.json"):
            path.chmod(path.stat().st_mode & ~0o222)
        self.folder.chmod(0o755)
        words = ["eval", "all/r", "--json"]
        command = [PROGRAM, *words]
        if os.geteuid() == 0:
            command = ["setpriv", "--reuid=65534", "--clear-groups", *command]
        ran = subprocess.run(command, cwd=self.folder, capture_output=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
        self.run_folder.chmod(0o755)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(strict_json(ran.stdout.decode())["runs"], expected)
        self.assertRegex(ran.stderr.decode(), r"not kept: [^\n]*all/r")
        self.assertFalse((self.run_folder / "evaluations").exists())

    def test_logits(self):
        self.write("text.txt", "the cat")
        self.locus("logits", "all/r", "--text", "the cat", "--out", "a.npy")
        self.locus("logits", "all/r", "--file", "text.txt", "--out", "b.npy")
        content = (self.folder / "a.npy").read_bytes()
        self.assertEqual(content, (self.folder / "b.npy").read_bytes())
        self.assertEqual(content[:8], b"\x93NUMPY\x01\x00")
        size = int.from_bytes(content[8:10], "little")
        self.assertEqual((10 + size) % 64, 0)
        header = eval(content[10:10 + size].decode(), {})
        self.assertEqual(header, {"descr": "<f4", "fortran_order": False, "shape": (7, 256)})
        rows = [struct.unpack_from("<256f", content, 10 + size + 4 * 256 * row) for row in range(7)]
        made = strict_json(self.locus("sample", "all/r", "--prompt", "the cat", "--tokens", "1", "--greedy", "--length", "7",
                                      "--json")[0])
        best = max(range(256), key=lambda token: rows[6][token])
        self.assertEqual(made["tokens"], [best])
        total = math.log(sum(math.exp(x - rows[6][best]) for x in rows[6]))
        self.assertAlmostEqual(made["nats"][0], total, places=5)
        self.locus("logits", "all/r", "--text", "the cat", "--out", "a.h5")
        self.refuses(2, "logits", "all/r", "--text", "a", "--file", "text.txt", "--out", "c.npy", says=["--text", "--file"])
        self.refuses(2, "logits", "all/r", "--out", "c.npy", says=["--text", "--file"])
        self.refuses(2, "logits", "all/r", "--text", "a", "--out", "c.txt", says=[".npy", ".h5"])
        self.refuses(3, "logits", "all/r", "--file", "nowhere", "--out", "c.npy", says="nowhere")

    def test_a_length_beyond_what_numbers_hold(self):
        self.train("xpos", "encoding.kind=xpos")
        runs = strict_json(self.locus("eval", "xpos", "--lengths", "16,100000", "--protocol", "non_overlapping,same_target",
                                      "--json")[0])["runs"]
        for run in runs:
            self.assertEqual([result["state"] for result in run["results"]], ["ok", "beyond_table"]
                             if run["protocol"] == "non_overlapping" else ["too_short", "beyond_table"])


if __name__ == "__main__":
    unittest.main()
