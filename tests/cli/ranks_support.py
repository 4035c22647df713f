"""What the tests under a launcher of MPI share: jobs of several ranks, and that nothing of them stays behind."""

import hashlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

from support import PROGRAM, CommandCase

LAUNCHER = os.environ.get("LOCUS_MPIEXEC") or "mpirun"
FAULTS = os.environ.get("LOCUS_FAULTS")  # a library for LD_PRELOAD: tests/support/faults.cpp
KILLED = (137, 9, 1, 255)  # what launchers make of a rank's SIGKILL

AT_ONCE = {"OMPI_MCA_odls_base_sigkill_timeout": "0"}  # Open MPI's second between SIGTERM and SIGKILL

# Open MPI's words for "as root" and "more ranks than cores"; other launchers do not read them.
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "OMP_NUM_THREADS": "1",
    "ASAN_OPTIONS": "detect_leaks=0",  # MPI libraries keep some memory to the end
}


def is_open_mpi():
    if shutil.which(LAUNCHER) is None:
        return False
    said = subprocess.run([LAUNCHER, "--version"], capture_output=True, check=False).stdout
    return b"Open MPI" in said or b"OpenRTE" in said  # as mpirun and as mpiexec


OPEN_MPI = is_open_mpi()


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class RankCase(CommandCase):
    launcher = {}  # words for the launcher, besides ENVIRONMENT

    def begin(self, ranks, *words, **options):
        return self.begin_parts([(ranks, words)], **options)

    def begin_parts(self, parts, environment=None):
        """One job of several command lines: [(ranks, words), ...]."""
        command = [LAUNCHER]
        for ranks, words in parts:
            program = [*words] if words[0] == "env" else [PROGRAM, *words]
            command += [*([":"] if len(command) > 1 else []), "-n", str(ranks), *map(str, program)]
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env={
                **os.environ,
                **ENVIRONMENT,
                **self.launcher,
                "LOCUS_DATA": str(self.folder / "corpora"),
                **(environment or {}),
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def ends(self, process, code, seconds=60):
        """(stdout, stderr) of a job that ends with `code` in time and leaves no process behind."""
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            self.fail(f"still there after {seconds} s: {process.args}")
        self.assertIn(process.returncode, code if isinstance(code, tuple) else (code,), f"{out}{err}")
        deadline = time.monotonic() + 5
        while self.processes() and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual(self.processes(), [])
        return out, err

    def ranks(self, ranks, *words, code=0, **options):
        return self.ends(self.begin(ranks, *words, **options), code)

    def rank_of(self, process):
        """What the launcher told this process."""
        words = pathlib.Path(f"/proc/{process}/environ").read_bytes().decode().split("\0")
        known = dict(word.split("=", 1) for word in words if "=" in word)
        return int(known.get("OMPI_COMM_WORLD_RANK") or known.get("PMIX_RANK") or known["PMI_RANK"])

    def signal_all(self, process, name):
        """To all ranks: Open MPI's launcher hands it on, MPICH's does so with some signals only."""
        if OPEN_MPI:
            process.send_signal(name)
        else:
            for rank in self.processes():
                os.kill(rank, name)

    def kill(self, rank, name=signal.SIGKILL):
        for process in self.processes():
            if self.rank_of(process) == rank:
                os.kill(process, name)

    def processes(self):
        """Processes of the program that work in the test's folder."""
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if (process / "cwd").resolve() == self.folder.resolve():
                    if (process / "exe").resolve() == pathlib.Path(PROGRAM).resolve():
                        found.append(int(process.name))
            except OSError:
                continue
        return sorted(found)

    def wait_for(self, condition, process, pause=0.002):
        deadline = time.monotonic() + 30
        while not condition() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(pause)
        self.assertTrue(condition(), process.poll())

    def columns(self, run):
        return [
            (record["step"], record["tokens"], record["loss"], record["lr"], record["grad_norm"])
            for record in self.records(run)
        ]

    def same_as(self, straight, run):
        self.assertEqual(self.columns(run), self.columns(straight))
        self.assertEqual(digest(self.newest_checkpoint(run)), digest(self.newest_checkpoint(straight)), run)


def main():
    if shutil.which(LAUNCHER) is None:
        print(f"not run: {LAUNCHER} is missing")
        sys.exit(77)
    unittest.main()
