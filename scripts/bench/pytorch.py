"""The training step of PyTorch in the arrangements that may be its best: processes of torch_step.py."""
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

PYTHON = os.environ.get("LOCUS_TORCH_PYTHON") or "/usr/bin/python3"
STEP = pathlib.Path(__file__).resolve().parent / "torch_step.py"

# glibc gives large blocks back to the system at every free, and taking them again costs page faults: not so here.
MEMORY = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40), "MALLOC_TOP_PAD_": str(1 << 26)}


class NotRun(Exception):
    """Why something could not be measured."""


def version():
    """That of PyTorch; None where there is none."""
    try:
        done = subprocess.run([PYTHON, "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


class Process:
    def __init__(self, config, batch, threads, steps, core, compiled):
        self.tokens = batch * config.length
        self.messages = tempfile.TemporaryFile()
        words = [PYTHON, STEP, "--layers", config.layers, "--width", config.width, "--heads", config.heads,
                 "--length", config.length, "--batch", batch, "--threads", threads, "--steps", steps]
        words += ["--core", core] if core is not None else []
        words += ["--compile"] if compiled else []
        self.process = subprocess.Popen([str(word) for word in words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.messages, text=True,
                                        env={**os.environ, **MEMORY, "OMP_NUM_THREADS": str(threads)})

    def expect_ready(self):
        if self.process.stdout.readline().strip() != "ready":
            self.process.wait()
            self.messages.seek(0)
            lines = self.messages.read().decode(errors="replace").strip().splitlines()
            raise NotRun(lines[-1] if lines else f"exit code {self.process.returncode}")

    def go(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def result(self):
        return json.loads(self.process.stdout.readline())

    def end(self):
        self.process.kill()
        self.process.wait()
        for stream in self.process.stdin, self.process.stdout, self.messages:
            stream.close()


def tokens_per_second(config, processes, threads, steps, compiled):
    """Of `processes` processes together, each with its part of the batch; no sum of gradients is charged."""
    if version() is None:
        raise NotRun(f"{PYTHON} has no torch (LOCUS_TORCH_PYTHON names another)")
    if config.batch % processes != 0:
        raise NotRun(f"a batch of {config.batch} cannot be split over {processes} processes")
    cores = sorted(os.sched_getaffinity(0))[:processes] if processes > 1 else [None]
    all_of_them = [Process(config, config.batch // processes, threads, steps, core, compiled) for core in cores]
    try:
        for process in all_of_them:
            process.expect_ready()
        for process in all_of_them:
            process.go()
        total = 0
        for process in all_of_them:
            found = process.result()
            if found["parameters"] != config.parameters:
                raise NotRun(f"not the same model: {found['parameters']} parameters, Locus has {config.parameters}")
            total += process.tokens / statistics.median(found["seconds"])
        return total
    finally:
        for process in all_of_them:
            process.end()


def variants(config, threads, steps):
    """(name, function without arguments) of every arrangement."""
    arrangements = [(1, threads)] + ([(threads, 1)] if threads > 1 else [])
    for processes, own in arrangements:
        for compiled in False, True:
            name = f"torch {'compiled' if compiled else 'eager'}, {processes} x {own} threads"
            yield name, lambda p=processes, o=own, c=compiled: tokens_per_second(config, p, o, steps, c)
