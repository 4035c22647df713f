"""Several processes on one folder, and tasks and libraries that do not belong together."""

import os
import time
import unittest

from support import CommandCase


class OneProcess(CommandCase):
    def working(self, out):
        process = self.start("train", "r.yaml", "train.steps=100000", "--out", out)
        deadline = time.monotonic() + 60
        while not (self.folder / out / "metrics.jsonl").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        return process

    def test_a_second_process_is_told(self):
        first = self.working("run")
        words = ["train", "r.yaml", "train.steps=100000", "--out", "run"]
        _, err = self.locus(*words, code=5)
        self.assertRegex(err, rf"\Alocus: run: is in use by process {first.pid} on \S+ since \S+: [^\n]*train r.yaml[^\n]*\n\Z")
        first.kill()
        first.communicate(timeout=60)
        second = self.working("run")  # the lock went with its process
        lock, deadline = self.folder / "run" / ".locus-lock", time.monotonic() + 60
        while f"process {second.pid} on" not in lock.read_text() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertIsNone(second.poll())
        second.terminate()
        second.communicate(timeout=60)
        self.assertEqual(second.returncode, 75)
        self.assertFalse((self.folder / "run" / ".locus-lock").exists())

    def test_processes_share_the_cells_of_an_experiment(self):
        arms = "vary={arm: [{name: base, encoding: {kind: rope}}, {name: child, from.arm: base, encoding.base: 500}], train.seed: [0, 1, 2]}"
        words = ["run", "r.yaml", arms, "train.steps=300", "--out"]
        alone, _ = self.locus(*words, "alone")
        processes = [self.start(*words, "all") for _ in range(3)]
        for process in processes:
            _, err = process.communicate(timeout=300)
            self.assertIn(process.returncode, (0, 5), err)
            self.assertNotIn(b"failed", err)
        self.assertEqual(self.locus("table", "all")[0], alone)
        self.assertEqual(list((self.folder / "all").rglob(".locus-lock")), [])

    def test_seeds_one_by_one_into_one_folder(self):
        arms = "vary={arm: [{name: a, encoding: {kind: rope}}, {name: b, encoding: {kind: nope}}], train.seed: [0, 1]}"
        alone, _ = self.locus("run", "r.yaml", arms, "--out", "alone")
        for seed in 1, 0:
            self.locus("run", "r.yaml", arms, f"vary.train.seed=[{seed}]", "--out", "all")
        rows = [line for line in alone.splitlines() if line.startswith("|")]
        self.assertEqual([line for line in self.locus("table", "all")[0].splitlines() if line.startswith("|")], rows)

    def test_all_cells_fail(self):
        self.write("bad.yaml", self.folder.joinpath("r.yaml").read_text().replace("generated, documents: 12, document_length: 600", "nowhere"))
        out, err = self.locus("run", "bad.yaml", "--out", "all", code=1)
        self.assertIn("failed: bad: ", err)
        self.assertIn("nowhere", err)

    def test_an_evaluation_beside_a_run_that_saves(self):
        self.write("fast.yaml", self.folder.joinpath("r.yaml").read_text().replace("checkpoint_every: 3", "checkpoint_every: 1"))
        process = self.start("train", "fast.yaml", "train.steps=100000", "--out", "run")
        while not list((self.folder / "run" / "checkpoints").glob("step_*.h5")):
            time.sleep(0.01)
        for _ in range(15):
            out, err = self.locus("eval", "run", "--lengths", "16", "--json")
            self.assertNotIn("stands in", err)
        process.kill()
        process.communicate(timeout=60)


class Environment(CommandCase):
    def test_tasks_of_srun_without_mpi(self):
        for variables in {"SLURM_PROCID": "1", "SLURM_NTASKS": "2"}, {"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "2"}:
            for words in ["train", "r.yaml", "--out", "run"], ["run", "r.yaml", "--out", "run"]:
                self.refuses(2, *words, environment=variables, says=["srun", "2 tasks", "--mpi"])
        out, _ = self.locus("version", environment={"SLURM_PROCID": "1", "SLURM_NTASKS": "2"})
        self.assertEqual(out, "")  # said once, by task 0
        for variables in {"SLURM_PROCID": "0", "SLURM_NTASKS": "8"}, {"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "1"}:
            self.train("run" + variables.get("SLURM_NTASKS", ""), environment=variables)  # a batch script, one task

    @unittest.skipUnless(os.environ.get("LOCUS_FAULTS"), "not run: LOCUS_FAULTS names no library")
    def test_another_hdf5(self):
        self.train("run")
        other = {"LD_PRELOAD": os.environ["LOCUS_FAULTS"], "LOCUS_FAULT_HDF5": "4"}
        for words in ["eval", "run"], ["inspect", self.newest_checkpoint("run")], ["train", "r.yaml", "--out", "x", "--resume", "never"]:
            _, err = self.locus(*words, environment=other, code=5)
            self.assertRegex(err.splitlines()[-1], r"\Alocus: .*HDF5: this program was built for version \S+, .* 1\.8\.4")
        out, _ = self.locus("version", environment=other)
        self.assertRegex(out, r"1\.8\.4 \(built for \d")


if __name__ == "__main__":
    unittest.main()
