#!/usr/bin/env python3
"""What ranks gain and cost on this machine, against threads: one interleaved series, one table. Under six minutes.

A training step (4x128x4, length 128, 32 sequences) on two ranks against one rank with one and with two threads, the fixed
tree of gradients against MPI_Allreduce, and the share of a step that ranks spend on each other; then 12 cells of the quick
recipe, cut short, two at once against one after the other. Wants two free cores: pinned ranks, one thread each.
Needs build/release/locus; $LOCUS_MPIEXEC names the launcher (default: mpirun).
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import report

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build" / "release" / "locus"
LAUNCHER = os.environ.get("LOCUS_MPIEXEC") or "mpirun"
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}  # Open MPI's words
WARM_UP = 3  # steps that fill memory and caches

STEP = """data: {{ corpus: generated, documents: 64, document_length: 16384 }}
model: {{ layers: 4, width: 128, heads: 4 }}
encoding: {{ kind: rope }}
train: {{ length: 128, batch_tokens: 4096, steps: {steps}, lr: 1e-3, checkpoint_every: 1000000 }}
evaluate: {{ lengths: [128] }}
"""
QUICK = ROOT / "recipes" / "quick" / "train_short_test_long.yaml"
DATA = "data={corpus: generated, documents: 20, document_length: 16384}"


def run(ranks, words):
    """Seconds of a command that must succeed."""
    launch = [LAUNCHER, "-n", ranks] if ranks > 1 else []
    begin = time.monotonic()
    done = subprocess.run([str(word) for word in [*launch, PROGRAM, *words]], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, env={**os.environ, **AS_ROOT}, check=False)
    if done.returncode != 0:
        sys.exit(f"exit code {done.returncode}: {' '.join(map(str, words))}\n{done.stderr}")
    return time.monotonic() - begin


def train(folder, steps, ranks, threads, *words):
    """The run folder of a training."""
    recipe = folder / "step.yaml"
    recipe.write_text(STEP.format(steps=steps + WARM_UP))
    out = pathlib.Path(tempfile.mkdtemp(dir=folder))
    run(ranks, ["train", recipe, "--out", out, "--threads", threads, *words])
    return out


def step_rate(*arguments):
    """Tokens per second: the median over the steps, data included."""
    log = train(*arguments) / "metrics.jsonl"
    records = [json.loads(line) for line in log.read_text().splitlines()]
    return statistics.median(record["tokens_per_second"] for record in records[WARM_UP:])


def shares(folder, steps):
    """Shares of rank 0's step: what it spends on messages between ranks, and on waiting for the other."""
    profile = json.loads((train(folder, steps, 2, 1, "--profile") / "profile.json").read_text())
    parts = {part["name"]: part["share"] for part in profile["parts"]}
    return parts["communication"], parts["wait for ranks"]


def matrix(folder, tokens, ranks, threads):
    """Cells an hour of 12 cells, from the start of the program to the table."""
    with tempfile.TemporaryDirectory(dir=folder) as out:
        words = ["run", QUICK, DATA, f"train.tokens={tokens}", "evaluate.targets=256", "vary.train.seed=[0, 1]"]
        words += ["--out", out, "--threads", threads] + (["--ranks-per-cell", 1] if ranks > 1 else [])
        return 12 * 3600 / run(ranks, words)


RATIOS = [  # name, over, under, what is wanted of it
    ("2 ranks x 1 thread / 1 rank x 1 thread", "2 x 1", "1 x 1", ">= 1.85"),
    ("2 ranks x 1 thread / 1 rank x 2 threads", "2 x 1", "1 x 2", ">= 0.95"),
    ("fixed tree / MPI_Allreduce", "2 x 1", "2 x 1, fast", ">= 0.97"),
    ("12 cells, 2 at once / one by one on 1 thread", "cells 2 x 1", "cells 1 x 1", ">= 1.80"),
    ("12 cells, 2 at once / one by one on 2 threads", "cells 2 x 1", "cells 1 x 2", ">= 0.95"),
]
UNITS = {"cells": "cells/h", "share:": "% of a step"}


def rows_of(samples):
    rows = []
    for name, values in samples.items():
        unit = UNITS.get(name.split()[0], "tokens/s")
        digits = 1 if unit.startswith("%") else 0
        wanted = "<= 5" if name == "share: communication" else ""
        rows.append([name, *(f"{value:.{digits}f}" for value in (statistics.median(values), min(values), max(values))),
                     unit, wanted])
    for name, over, under, wanted in RATIOS:
        pairs = [a / b for a, b in zip(samples[over], samples[under])]
        middle = statistics.median(samples[over]) / statistics.median(samples[under])
        rows.append([name, f"{middle:.3f}", f"{min(pairs):.3f}", f"{max(pairs):.3f}", "ratio", wanted])
    return rows


def measure(repeats, steps, tokens):
    samples = {}
    with tempfile.TemporaryDirectory(prefix="locus-bench-") as name:
        folder = pathlib.Path(name)
        variants = [("1 x 1", lambda: step_rate(folder, steps, 1, 1)), ("2 x 1", lambda: step_rate(folder, steps, 2, 1)),
                    ("1 x 2", lambda: step_rate(folder, steps, 1, 2)),
                    ("2 x 1, fast", lambda: step_rate(folder, steps, 2, 1, "train.reduction=fast")),
                    ("share", lambda: shares(folder, steps)),
                    ("cells 1 x 1", lambda: matrix(folder, tokens, 1, 1)),
                    ("cells 2 x 1", lambda: matrix(folder, tokens, 2, 1)),
                    ("cells 1 x 2", lambda: matrix(folder, tokens, 1, 2))]
        for repeat in range(repeats):
            for name, function in variants:
                print(f"repeat {repeat + 1} of {repeats}: {name}", file=sys.stderr, flush=True)
                found = function()
                both = [found] if name != "share" else found
                for key, value in zip([name] if name != "share" else ["share: communication", "share: waiting"], both):
                    samples.setdefault(key, []).append(100 * value if name == "share" else value)
    return samples


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3, help="default: 3")
    parser.add_argument("--steps", type=int, default=30, help="of a training run (default: 30)")
    parser.add_argument("--tokens", type=int, default=120_000, help="that a cell is trained on (default: 120000)")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    samples = measure(options.repeats, options.steps, options.tokens)
    print(f"ranks x threads, {options.repeats} interleaved repeats; load average {load:.1f} before")
    print(report.table(["measured", "median", "min", "max", "", "wanted"], rows_of(samples)))


if __name__ == "__main__":
    main()
