"""Faults under mpirun: every one ends the job, with the reason and the rank once, and leaves a whole checkpoint."""

import re
import signal
import time
import unittest

from files_test import damages
from ranks_support import AT_ONCE, FAULTS, KILLED, OPEN_MPI, RankCase, main
from support import PROGRAM

ENDLESS = ["train", "r.yaml", "train.steps=1000000", "train.checkpoint_every=5", "--out"]


class FaultCase(RankCase):
    def fails(self, process, code, *parts):
        """Ends within 10 s, with the reason and the rank once."""
        # MPICH's launcher mixes the code of a job that is aborted with that of the ranks that it kills, and says so
        out, err = self.ends(process, code if OPEN_MPI else (code, 9, code | 9), seconds=10)
        for part in ["locus: ", *parts]:
            self.assertEqual(err.count(part), 1, err)
        if OPEN_MPI:
            self.assertEqual(out, "")
        return err

    def begin_with_checkpoint(self, ranks, run, **options):
        """An endless run, once it has saved."""
        process = self.begin(ranks, *ENDLESS, run, **options)
        self.wait_for(lambda: list((self.folder / run).glob("checkpoints/step_*.h5")), process)
        return process


class OneRank(FaultCase):
    launcher = AT_ONCE

    def test_all_ranks_alike(self):
        for ranks in 3, 5:
            self.fails(self.begin(ranks, "train", "none.yaml", "--out", "x"), 2, "none.yaml")
        self.fails(self.begin(3, "train", "r.yaml", "data={corpus: none}", "--out", "x"), 3, "corpus 'none'")
        self.fails(self.begin(2, "train", "r.yaml", "train.lr=1e30", "--out", "wild"), 4, "learning rate")
        self.assertFalse((self.folder / "x").exists())

    def test_its_words(self):
        good = ["train", "r.yaml", "--out", "run"]
        self.fails(
            self.begin_parts([(2, good), (1, [*good, "--threads", "0"]), (1, good)]), 2, "rank 2 of 4", "--threads"
        )
        self.fails(
            self.begin_parts([(1, good), (1, [*good, "train.lr=2e-3"])]), 2, "rank 1", "recipe (XXH3)"
        )
        self.assertFalse((self.folder / "run").exists())

    def test_its_data(self):
        corpora = self.folder / "corpora"
        corpora.mkdir()
        self.write("text.txt", bytes(33 + (i * i * 7 + i) % 90 for i in range(4000)))
        self.locus("data", "build", "text.txt", "--out", "corpora/mine.h5")
        good = ["train", "r.yaml", "data={corpus: mine, valid: 0.1, test: 0.1}", "--out", "run"]
        blind = ["env", "LOCUS_DATA=/nowhere", PROGRAM, *good]
        for parts in [(1, good), (1, blind)], [(2, good), (1, blind), (1, good)], [(1, good), (1, blind), (3, good)]:
            before, ranks = parts[0][0], sum(part[0] for part in parts)
            self.fails(self.begin_parts(parts), 3, f"rank {before} of {ranks}", "corpus 'mine' is not here")
        self.ranks(2, *good)

    @unittest.skipUnless(FAULTS, "not run: no library of faults in this build (sanitizers)")
    def test_its_memory_at_any_moment(self):
        """An exception of one rank wherever it happens to be: in its data, in a step, in its words to the others."""
        broken = ["env", f"LD_PRELOAD={FAULTS}", PROGRAM, *ENDLESS]
        for ranks, victim in (2, 0), (3, 2), (5, 3):
            run = f"run{ranks}-{victim}"
            good = [*ENDLESS, run]
            parts = [(victim, good), (1, [*broken, run]), (ranks - victim - 1, good)]
            process = self.begin_parts([part for part in parts if part[0] > 0])
            self.wait_for(lambda run=run: list((self.folder / run).glob("checkpoints/step_*.h5")), process)
            self.kill(victim, signal.SIGRTMIN)
            self.fails(process, 5, f"rank {victim} of {ranks}: not enough memory")
            self.locus("inspect", self.newest_checkpoint(run))

    def test_rank_zero_in_a_save(self):
        self.write("run/checkpoints", "a file where a folder should be")
        self.fails(self.begin(3, "train", "r.yaml", "--out", "run"), 5, "rank 0 of 3", "checkpoints")
        self.fails(self.begin(2, "train", "r.yaml", "--out", "r.yaml/run"), 5, "rank 0 of 2", "r.yaml")

    @unittest.skipUnless(FAULTS, "not run: no library of faults in this build (sanitizers)")
    def test_a_disk_that_breaks_in_a_save(self):
        broken = {"LD_PRELOAD": FAULTS, "LOCUS_FAULT_FSYNC": "step_00000006"}
        self.train("straight")
        for ranks in 2, 3:
            run = f"run{ranks}"
            process = self.begin(ranks, "train", "r.yaml", "--out", run, environment=broken)
            self.fails(process, 5, f"rank 0 of {ranks}: cannot write {run}/checkpoints/step_00000006.h5: Input/output error")
            self.assertEqual([path.name for path in (self.folder / run / "checkpoints").iterdir()], ["step_00000003.h5"])
            self.ranks(2, "train", "r.yaml", "--out", run)
            self.same_as("straight", run)


class DeadProcesses(FaultCase):
    def test_a_killed_rank(self):
        for ranks, victim in (2, 0), (3, 1), (5, 4):
            process = self.begin_with_checkpoint(ranks, f"run{ranks}")
            self.kill(victim)
            _, err = self.ends(process, KILLED, seconds=10)
            if "mpirun noticed" in err:  # Open MPI's words; Locus cannot speak for a rank that is gone
                self.assertEqual(len(re.findall(rf"process rank {victim} with PID .*exited on\s+signal 9", err)), 1, err)
            self.assertNotIn("locus: ", err)
            self.locus("inspect", self.newest_checkpoint(f"run{ranks}"))  # whole

    def test_a_signal_to_the_launcher(self):
        for name, ranks in (signal.SIGINT, 2), (signal.SIGTERM, 3):
            run = f"run{int(name)}"
            process = self.begin_with_checkpoint(ranks, run)
            process.send_signal(name)  # mpirun ends its ranks; they save if the time is enough
            self.ends(process, tuple(range(1, 256)), seconds=10)
            self.locus("inspect", self.newest_checkpoint(run))

    def test_a_killed_launcher(self):
        process = self.begin_with_checkpoint(3, "run")
        process.kill()
        process.communicate(timeout=10)
        deadline = time.monotonic() + 10
        while self.processes() and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual(self.processes(), [])
        self.locus("inspect", self.newest_checkpoint("run"))


class Checkpoints(FaultCase):
    """Refused by name, in the same words on any number of ranks."""

    launcher = AT_ONCE

    def refused(self, words, *says, ranks=(2,)):
        _, alone = self.locus(*words, code=5)
        self.assertRegex(alone, r"\Alocus: [^\n]+\n\Z")
        for part in says:
            self.assertIn(part, alone)
        for number in ranks:
            err = self.fails(self.begin(number, *words), 5)
            said = [line for line in err.splitlines() if line.startswith("locus: ")]
            self.assertEqual(said, [alone.strip().replace("locus: ", f"locus: rank 0 of {number}: ", 1)])

    def test_each_damage(self):
        self.train("run")
        whole = self.newest_checkpoint("run").read_bytes()
        says = {"cut": "is cut off", "empty": "is empty", "text": "is not an HDF5 file", "flipped": "checksum"}
        for name, content in damages(whole, whole.index(b"Does it carry?")).items():
            path = self.write(f"{name}.h5", content)
            self.refused(["train", "r.yaml", "--out", "new", "--resume", path], f"{name}.h5 (", says[name], ranks=(2, 3) if name == "cut" else (2,))
        self.assertFalse((self.folder / "new").exists())

    def test_another_model(self):
        self.train("run")
        self.train("other", "encoding={kind: nope}")  # of the same shapes
        self.train("wide", "model.width=32")
        words = ["train", "r.yaml", "--out"]
        for run, other in ("other", "kind: nope"), ("wide", "width: 32"):
            stranger = self.newest_checkpoint(run)
            says = [stranger.name, "another recipe", other]
            self.refused([*words, "new", "--resume", stranger], *says)
        self.newest_checkpoint("run").write_bytes(self.newest_checkpoint("other").read_bytes())
        self.refused([*words, "run"], "run/checkpoints/step_00000008.h5", "another recipe", "kind: nope")

    def test_in_the_run_folder(self):
        self.train("run", "train.keep=3")
        newest = self.newest_checkpoint("run")
        newest.write_bytes(newest.read_bytes()[: newest.stat().st_size * 6 // 10])
        words = ["train", "r.yaml", "train.keep=3", "--out", "run"]
        _, err = self.ranks(2, *words)
        self.assertEqual(err.count(newest.name), 1)  # said once
        self.assertIn("going on from step 6", err)
        for path in (self.folder / "run" / "checkpoints").iterdir():
            path.write_bytes(b"")
        self.refused(words, "no checkpoint can be read", *(f"step_0000000{step}.h5" for step in (3, 6, 8)))


if __name__ == "__main__":
    main()
