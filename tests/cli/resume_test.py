"""The same bits: over threads, over runs, and over any stop and resume."""

import hashlib
import itertools
import shutil
import signal
import time
import unittest

from support import CommandCase

TRAIN = ["train.steps=20", "train.warmup_steps=4", "train.checkpoint_every=1", "train.keep=100"]


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Bits(CommandCase):
    def test_threads_runs_and_seeds(self):
        for kind in "rope", "learned", "t5":
            change = f"encoding={{kind: {kind}}}"
            sums = set()
            for threads in "1", "1", "2", "3":
                out = f"{kind}{threads}"
                shutil.rmtree(self.folder / out, ignore_errors=True)
                self.train(out, change, "model.dropout=0.1", "--threads", threads)
                sums.add(digest(self.newest_checkpoint(out)))
            self.assertEqual(len(sums), 1, kind)
            self.train(f"{kind}-other", change, "model.dropout=0.1", "train.seed=2")
            self.assertNotEqual({digest(self.newest_checkpoint(f"{kind}-other"))}, sums)


class Resume(CommandCase):
    def columns(self, run):
        return [
            (record["step"], record["tokens"], record["loss"], record["lr"], record["grad_norm"])
            for record in self.records(run)
        ]

    def same_as_straight(self, run, straight="straight"):
        self.assertEqual(self.columns(run), self.columns(straight))
        self.assertEqual(digest(self.newest_checkpoint(run)), digest(self.newest_checkpoint(straight)))

    def cut_back(self, straight, run, step):
        """The folder after a kill behind checkpoint `step`, which the log has outrun by a line."""
        shutil.copytree(self.folder / straight, self.folder / run)
        for path in (self.folder / run / "checkpoints").iterdir():
            if int(path.stem.removeprefix("step_")) > step:
                path.unlink()
        log = self.folder / run / "metrics.jsonl"
        log.write_text("".join(log.read_text().splitlines(keepends=True)[: step + 1]))

    def test_resume_at_any_step(self):
        self.train("straight", *TRAIN)
        self.assertEqual([step for step, *_ in self.columns("straight")], list(range(1, 21)))
        for step in 1, 3, 4, 7, 12, 19:
            run = f"cut{step}"
            self.cut_back("straight", run, step)
            _, err = self.train(run, *TRAIN)
            self.assertIn(f"going on from step {step}", err)
            self.same_as_straight(run)

    def test_warm_up_and_cosine(self):
        self.train("straight", *TRAIN)
        rates = [rate for *_, rate, _ in self.columns("straight")]
        for step, rate in {
            1: 2.5e-4,
            2: 5e-4,
            3: 7.5e-4,
            4: 1e-3,
            5: 9.91353e-4,
            7: 9.24161e-4,
            8: 8.68198e-4,
            12: 5.5e-4,
            20: 1e-4,
        }.items():
            self.assertAlmostEqual(rates[step - 1], rate, delta=1e-9)

    def test_resume_at_the_end_of_an_epoch(self):
        """12 windows, two per step: six steps per epoch, of which a lost order would repeat the first."""
        self.write("text.txt", bytes(33 + (i * i * 7 + i) % 90 for i in range(12 * 16 + 1)))
        words = [
            "data={corpus: text.txt, valid: 0, test: 0}",
            "train.batch_tokens=32",
            "train.shards=2",
            "train.steps=18",
            "train.keep=100",
            "train.checkpoint_every=1",
        ]
        _, err = self.train("straight", *words)
        self.assertIn("12 blocks", err)
        self.assertIn("3.00 epochs", err)
        for step in 4, 6, 11, 12:
            self.cut_back("straight", f"cut{step}", step)
            self.train(f"cut{step}", *words)
            self.same_as_straight(f"cut{step}")
        for step in 6, 12:  # stopped at every end of an epoch
            self.cut_back("straight" if step == 6 else "twice", f"again{step}", step)
            if step == 6:
                self.train("again6", *words)
                shutil.copytree(self.folder / "again6", self.folder / "twice")
            else:
                self.train("again12", *words)
                self.same_as_straight("again12")

    def test_signals(self):
        words = ["train.steps=3000", "train.checkpoint_every=500"]
        self.train("straight", *words)
        for name, code in (signal.SIGTERM, 75), (signal.SIGINT, 75), (signal.SIGKILL, -9):
            run = f"stopped{int(name)}"
            process = self.start("train", "r.yaml", *words, "--out", run)
            log = self.folder / run / "metrics.jsonl"
            deadline = time.monotonic() + 30
            while not (log.exists() and log.stat().st_size > 100_000) and time.monotonic() < deadline:
                time.sleep(0.002)
            process.send_signal(name)
            out, err = process.communicate(timeout=60)
            self.assertEqual((process.returncode, out), (code, b""), err)
            self.assertLess(len(self.records(run) if code == 75 else []), 3000)
            if code == 75:
                self.assertIn(b"stopped and saved after step", err)
                step = self.records(run)[-1]["step"]
                self.assertEqual(self.newest_checkpoint(run).name, f"step_{step:08}.h5")
            self.train(run, *words)
            self.same_as_straight(run)

    def test_many_kills(self):
        """A run that is killed again and again gets to the same end."""
        words = ["train.steps=1500", "train.checkpoint_every=20"]
        self.train("straight", *words)
        for attempt in itertools.count():
            process = self.start("train", "r.yaml", *words, "--out", "run")
            time.sleep(0.12 + 0.01 * attempt)
            process.kill()
            process.communicate(timeout=60)
            if process.returncode == 0 or attempt == 15:
                break
        self.assertGreater(attempt, 0)
        self.train("run", *words)
        self.same_as_straight("run")

    def test_which_checkpoints_stay(self):
        words = ["train.checkpoint_every=1", "train.keep=2", "train.keep_every=3"]
        self.train("run", *words)
        for _ in range(2):
            there = sorted(path.name for path in (self.folder / "run" / "checkpoints").iterdir())
            self.assertEqual(there, [f"step_{step:08}.h5" for step in (3, 6, 7, 8)])
            self.newest_checkpoint("run").unlink()
            self.newest_checkpoint("run").unlink()
            self.assertIn("going on from step 6", self.train("run", *words)[1])
        self.refuses(2, "train", "r.yaml", "train.keep_every=4", "--out", "x", says=["checkpoint_every (3)", "found 4"])

    def test_a_finished_run_trains_no_step(self):
        self.train("run")
        before = self.columns("run")
        checkpoint = digest(self.newest_checkpoint("run"))
        _, err = self.train("run")
        self.assertIn("going on from step 8", err)
        self.assertIn("trained after step 8", err)
        self.assertNotIn("step 1/8", err)
        self.assertEqual((self.columns("run"), digest(self.newest_checkpoint("run"))), (before, checkpoint))

    def test_never_starts_anew(self):
        self.train("run")
        before = self.columns("run")
        _, err = self.train("run", "--resume", "never")
        self.assertNotIn("going on", err)
        self.assertEqual(self.columns("run"), before)

    def test_resume_from_a_path(self):
        self.train("straight", *TRAIN)
        _, err = self.train("new", *TRAIN, "--resume", "straight/checkpoints/step_00000007.h5")
        self.assertIn("going on from step 7", err)
        self.assertEqual(self.columns("new"), self.columns("straight")[7:])
        self.assertEqual(digest(self.newest_checkpoint("new")), digest(self.newest_checkpoint("straight")))


if __name__ == "__main__":
    unittest.main()
