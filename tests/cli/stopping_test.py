"""A signal at any moment of any command: it ends soon, with 75, leaves nothing half-written, and goes on from there."""

import gzip
import json
import os
import sys
import pathlib
import re
import shutil
import signal
import time
import unittest

from support import CommandCase, strict_json

SOON = 4  # seconds; 2 are promised, on a machine that does nothing else
STOPS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU]

LONG = "train.steps=1000000"
ONE_LONG_STEP = ["model={layers: 4, width: 256, heads: 4}", "train.length=512", "train.batch_tokens=1048576", "train.shards=64"]
LONG_VALIDATION = ["data={corpus: generated, documents: 12, document_length: 400000}", "train.validate_every=3"]
# The first protocol is through at once; the second takes a window for each token.
EVALUATION = "evaluate={lengths: [16, 128], protocols: [non_overlapping, 'sliding:1']}"
# Long enough for a signal to arrive in time; sanitizers, which take no library of faults, are slow by themselves.
SHORT_TEXT = f"data={{corpus: generated, documents: 12, document_length: {20000 if os.environ.get('LOCUS_FAULTS') else 4000}}}"
LONG_TEXT = "data={corpus: generated, documents: 12, document_length: 400000}"


def listens(process, number):
    """Whether the process has said what to do with a signal: before, while it is loaded, a signal ends it."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"SigCgt:\s*(\w+)", status)[1], 16) >> (number - 1) & 1


def processor_time(process):
    """In seconds, of all its threads."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Stopping(CommandCase):
    def stopped(self, *words, at, by=signal.SIGTERM, ready=lambda: True, code=75, **options):
        """Starts a command, sends the signal a little after `at` stands on stderr; what else was said."""
        process = self.start(*words, **options)
        said, deadline = b"", time.monotonic() + 60
        os.set_blocking(process.stderr.fileno(), False)
        while not (re.search(at.encode(), said) and ready()) and time.monotonic() < deadline:
            self.assertIsNone(process.poll(), said)
            said += process.stderr.read() or b""
            time.sleep(0.01)
        time.sleep(0.1)
        os.set_blocking(process.stderr.fileno(), True)
        begin = time.monotonic()
        process.send_signal(by)
        out, err = process.communicate(timeout=60)
        taken = time.monotonic() - begin
        said = (said + err).decode()
        self.assertEqual(process.returncode, code, said)
        self.assertLess(taken, SOON, said)
        self.assertNotIn("unexpected", said)
        self.assertEqual([path for path in self.folder.rglob("*.tmp-*")], [], said)
        return out.decode(), said

    def begun(self, run):
        log = self.folder / run / "metrics.jsonl"
        return lambda: log.exists() and log.stat().st_size > 2000

    def manifest(self, run):
        return strict_json((self.folder / run / "manifest.json").read_text())

    def columns(self, run, *names):
        return [[record.get(name) for name in names] for record in self.records(run)]

    def test_every_signal(self):
        for number in STOPS:
            run = f"run{int(number)}"
            out, said = self.stopped("train", "r.yaml", LONG, "--out", run, at="parameters", by=number, ready=self.begun(run))
            self.assertEqual(out, "")
            step = self.records(run)[-1]["step"]
            self.assertIn(f"stopped and saved after step {step}", said)
            self.assertEqual(self.newest_checkpoint(run).name, f"step_{step:08}.h5")
            self.assertEqual(self.manifest(run)["state"], "interrupted")

    def test_a_signal_that_is_ignored_stays_ignored(self):
        ignored = {"preexec_fn": lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)}  # as nohup does
        process = self.start("train", "r.yaml", LONG, "--out", "run", **ignored)
        while not self.begun("run")():
            time.sleep(0.01)
        process.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=SOON)
        self.assertEqual(process.returncode, 75)

    def test_processor_time(self):
        """A soft limit is a signal each second; the state is saved at the first."""
        import resource

        limit = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 30))}
        process = self.start("train", "r.yaml", LONG, "--out", "run", **limit)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 75, err)
        self.assertIn(b"stopped and saved", err)

    def test_in_one_long_step(self):
        _, said = self.stopped("train", "r.yaml", "train.steps=100", *ONE_LONG_STEP, "--out", "run", at="parameters", by=signal.SIGUSR1)
        self.assertIn("after step 0", said)
        self.assertFalse((self.folder / "run" / "checkpoints").exists() and list((self.folder / "run" / "checkpoints").iterdir()))

    def test_in_a_validation(self):
        """The step is not lost, and the run that goes on has the same numbers as one that was never stopped."""
        words = ["train", "r.yaml", "train.steps=6", "train.checkpoint_every=6", *LONG_VALIDATION]
        self.locus(*words, "--out", "straight")
        log = self.folder / "run" / "metrics.jsonl"
        self.stopped(*words, "--out", "run", at="parameters", ready=lambda: log.exists() and log.read_text().count("\n") == 2)
        self.assertEqual(self.columns("run", "step", "valid_loss")[-1], [3, None])
        self.locus(*words, "--out", "run")
        names = "step", "tokens", "loss", "lr", "grad_norm", "valid_loss"
        self.assertEqual(self.columns("run", *names), self.columns("straight", *names))
        self.assertEqual(self.newest_checkpoint("run").read_bytes(), self.newest_checkpoint("straight").read_bytes())

    def test_in_an_evaluation(self):
        words = ["r.yaml", EVALUATION, SHORT_TEXT]
        self.train("run", *words[1:])
        straight = self.locus("eval", "run", "--json")[0]
        kept = {path.name: path.read_bytes() for path in (self.folder / "run" / "evaluations").iterdir()}
        out, said = self.stopped("eval", "run", "--json", at="evaluation", by=signal.SIGINT)
        self.assertEqual(out, "")
        self.assertIn("the same command goes on from there", said)
        self.assertEqual({path.name: path.read_bytes() for path in (self.folder / "run" / "evaluations").iterdir()
                          if path.name != "unfinished.h5"}, kept)
        again, said = self.locus("eval", "run", "--json")
        self.assertRegex(said, r"goes on after \d finished length")
        self.assertEqual(json.loads(again), json.loads(straight))
        self.assertEqual({path.name: path.read_bytes() for path in (self.folder / "run" / "evaluations").iterdir()}, kept)

    def test_a_draft_of_another_model_is_not_taken(self):
        words = [EVALUATION, SHORT_TEXT]
        self.train("run", *words)
        self.train("other", *words, "train.seed=5")
        self.stopped("eval", "run", "--json", at="evaluation")
        draft = (self.folder / "run" / "evaluations" / "unfinished.h5").read_bytes()
        for content in draft, draft[:-100], b"":
            self.write("other/evaluations/unfinished.h5", content)
            _, said = self.locus("eval", "other", "--lengths", "16", "--protocol", "non_overlapping")
            self.assertNotIn("goes on", said)

    def test_in_an_experiment(self):
        vary = "vary={arm: [{name: rope, encoding: {kind: rope}}, {name: nope, encoding: {kind: nope}}]}"
        words = ["run", "r.yaml", vary, EVALUATION, SHORT_TEXT]
        straight, _ = self.locus(*words, "--out", "straight")
        trained = lambda: "trained" in (self.folder / "all" / "nope" / "manifest.json").read_text()
        out, said = self.stopped(*words, "--out", "all", at=r"\[2/2\] nope: \d+ parameters", ready=trained, by=signal.SIGHUP)
        self.assertEqual(out, "")
        self.assertNotIn("failed", said)
        self.assertEqual([self.manifest(f"all/{arm}")["state"] for arm in ("rope", "nope")], ["done", "trained"])
        again, said = self.locus(*words, "--out", "all")
        self.assertIn("goes on after", said)
        self.assertEqual(again, straight)

    def test_in_a_search(self):
        self.train("base", "data={corpus: generated, documents: 20, document_length: 9000, valid: 0.2, test: 0.2}")
        self.write("s.yaml", """data: {corpus: generated, documents: 20, document_length: 9000, valid: 0.2, test: 0.2}
from: {run: base}
train: {steps: 0}
search: {factor: 4, population: 16, parents: 6, mutations: 4, crossovers: 4, iterations: 2, windows: 400, test_windows: 2}
""")
        straight = self.locus("search", "s.yaml", "--out", "straight", "--json")[0]
        _, said = self.stopped("search", "s.yaml", "--out", "found", "--json", at="iteration")
        self.assertIn("the same command goes on", said)
        self.assertGreater(len(json.loads((self.folder / "found" / "search.json").read_text())["pending"]), 0)
        self.assertEqual(self.locus("search", "s.yaml", "--out", "found", "--json")[0], straight)
        for name in "search.json", "best.yaml", "result.json":
            self.assertEqual((self.folder / "found" / name).read_bytes(), (self.folder / "straight" / name).read_bytes())

    def many_cells(self, out, kinds, seeds):
        """Trains an arm of each kind and copies its folder for other seeds: pairs enough to draw signs for seconds."""
        vary = "vary={arm: [%s], train.seed: [0]}" % ", ".join("{name: %s, encoding: {kind: %s}}" % (kind, kind) for kind in kinds)
        self.locus("run", "r.yaml", vary, "--out", out)
        (self.folder / out / "cells.txt").unlink()
        for kind in kinds:
            whole = self.folder / out / f"{kind},seed=0"
            for seed in range(1, seeds):
                copy = whole.with_name(f"{kind},seed={seed}")
                shutil.copytree(whole, copy, ignore=shutil.ignore_patterns("checkpoints"))
                text = (whole / "recipe.yaml").read_text()
                (copy / "recipe.yaml").write_text(re.sub(r"\b(seed: )0", rf"\g<1>{seed}", text))

    def test_where_nothing_is_kept(self):
        self.train("run", "train.steps=1")
        many = "vary={train.seed: %s}" % list(range(6000))
        huge = ["model={layers: 4, width: 256, heads: 4}", "train.length=2048", "train.batch_tokens=4096"]
        packed = gzip.compress(b"All work and no play.\n" * 2_000_000, 1)
        self.write("much.gz", packed * 30)  # members one after another: a text of 1.3 GB
        self.many_cells("all", ["rope", "nope", "alibi", "t5", "kerple", "sinusoidal"], seeds=40)
        before = sorted(self.folder.rglob("*"))
        for words, by in [
            (["table", "all"], signal.SIGINT),
            (["verify", "r.yaml", *huge], signal.SIGTERM),
            (["sample", "run", "--prompt", "a", "--tokens", "1000000", "--length", "16"], signal.SIGHUP),
            (["sample", "run", "--prompt", "a", "--tokens", "1000000", "--no-cache", "--json"], signal.SIGINT),
            (["data", "build", "much.gz", "--out", "much.h5"], signal.SIGUSR1),
            (["run", "r.yaml", many, "--dry-run"], signal.SIGUSR2),
            (["train", "r.yaml", "train.steps=1000000", *ONE_LONG_STEP, "--out", "new"], signal.SIGXCPU),  # the order of all data
            (["train", "r.yaml", "data={corpus: generated, documents: 100000, document_length: 100000}", "--out", "new"], signal.SIGTERM),
        ]:
            with self.subTest(words=words[:2]):
                process = self.start(*words)
                while not listens(process, by) or processor_time(process) < 0.3:
                    self.assertIsNone(process.poll(), words[:2])
                    time.sleep(0.01)
                begin = time.monotonic()
                process.send_signal(by)
                _, err = process.communicate(timeout=60)
                self.assertLess(time.monotonic() - begin, SOON)
                self.assertEqual(process.returncode, 75, err)
                self.assertEqual(err.decode().splitlines()[-1], f"locus: stopped by {by.name}")
                self.assertEqual(sorted(self.folder.rglob("*")), before)


class Divergence(CommandCase):
    """What is not finite is never saved."""

    def checkpoints(self, run):
        folder = self.folder / run / "checkpoints"
        return sorted(path.name for path in folder.iterdir()) if folder.exists() else []

    def test_after_the_last_step(self):
        _, err = self.locus("train", "r.yaml", "train.steps=1", "train.warmup_steps=0", "train.lr=1e308", "--out", "run", code=4)
        self.assertRegex(err.splitlines()[-1], r"^locus: step 1: .* not finite, and nothing is saved")
        self.assertEqual(self.checkpoints("run"), [])
        self.assertEqual(strict_json((self.folder / "run" / "manifest.json").read_text())["state"], "diverged")

    def test_the_last_finite_one_stays(self):
        words = ["train.checkpoint_every=1", "train.keep=1", "train.lr=1e20", "train.warmup_steps=0", "train.schedule=constant"]
        _, err = self.locus("train", "r.yaml", *words, "--out", "run", code=4)
        self.assertNotIn("-nan", err)
        self.assertEqual(len(self.checkpoints("run")), 1)
        _, _, step = self.checkpoints("run")[0].rpartition("_")
        self.assertLess(int(step.removesuffix(".h5")), 8)
        self.locus("inspect", self.newest_checkpoint("run"))


if __name__ == "__main__":
    if not os.environ.get("LOCUS_FAULTS"):
        print("not run: under the sanitizers neither seconds nor limits of memory mean what they do elsewhere")
        sys.exit(77)
    unittest.main()
