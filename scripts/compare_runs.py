#!/usr/bin/python3
"""Does a longer run give the same verdicts? Compares two folders of finished runs of the same arms.

    scripts/compare_runs.py SHORT LONG [--to rope] [--protocol same_target] [--length 64]

For every pair of arms: their order in both, where LONG decides it (the 95 % Student interval of the differences paired by
seed leaves out 0). For every arm: its gap to the arm --to in both. An arm whose gap moves by more than --within nats, or
whose order with another turns, is named. Exit code 1 where one is.
"""

import argparse
import itertools
import json
import math
import statistics
import sys
from pathlib import Path

# 0.975 quantiles of Student's t with 1, 2, ... degrees of freedom
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131)


def losses(folder, protocol, length):
    """{arm: {seed: nats per token}} of the runs in a folder."""
    found = {}
    for path in sorted(Path(folder).glob("*/evaluations/summary.json")):
        manifest = json.loads((path.parent.parent / "manifest.json").read_text())
        for run in json.loads(path.read_text())["runs"]:
            if run["protocol"] != protocol:
                continue
            for result in run["results"]:
                here = result.get("context", result.get("length"))
                if here == length and result["nats_per_token"] is not None:
                    arm = manifest["cell"].get("arm", manifest["encoding"])
                    found.setdefault(arm, {})[manifest["seed"]] = result["nats_per_token"]
    if not found:
        sys.exit(f"compare_runs: {folder}: no run with {protocol} at {length}")
    return found


def difference(runs, a, b):
    """Mean of a - b over the seeds that both have, and the half width of its interval (infinite for one seed)."""
    paired = [runs[a][seed] - runs[b][seed] for seed in sorted(runs[a].keys() & runs[b].keys())]
    if not paired:
        return None
    if len(paired) == 1:
        return paired[0], math.inf
    quantile = STUDENT[min(len(paired) - 1, len(STUDENT)) - 1]
    return statistics.mean(paired), quantile * statistics.stdev(paired) / math.sqrt(len(paired))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("short")
    parser.add_argument("long")
    parser.add_argument("--to", default="rope")
    parser.add_argument("--protocol", default="same_target")
    parser.add_argument("--length", type=int, default=64)
    parser.add_argument("--within", type=float, default=0.03, help="nats")
    options = parser.parse_args()
    short = losses(options.short, options.protocol, options.length)
    long = losses(options.long, options.protocol, options.length)
    arms = [arm for arm in short if arm in long]
    if options.to not in arms:
        sys.exit(f"compare_runs: no arm '{options.to}' in both folders; there are: {', '.join(arms)}")

    missed = []
    print(f"| arm | short | long | gap to {options.to}, short | gap to {options.to}, long | moves by |")
    print("|---|---:|---:|---:|---:|---:|")
    for arm in arms:
        means = [statistics.mean(runs[arm].values()) for runs in (short, long)]
        gaps = [difference(runs, arm, options.to)[0] for runs in (short, long)]
        print(f"| {arm} | {means[0]:.3f} | {means[1]:.3f} | {gaps[0]:+.3f} | {gaps[1]:+.3f} | {gaps[1] - gaps[0]:+.3f} |")
        if abs(gaps[1] - gaps[0]) > options.within:
            missed.append(f"{arm}: its gap to {options.to} is {gaps[0]:+.3f} in the short run, {gaps[1]:+.3f} in the long one")

    pairs = list(itertools.combinations(arms, 2))
    decided = same = 0
    for a, b in pairs:
        mean, half = difference(long, a, b)
        if abs(mean) <= half:
            continue
        decided += 1
        before = difference(short, a, b)[0]
        if before * mean > 0:
            same += 1
        else:
            missed.append(f"{a} - {b}: {before:+.3f} in the short run, {mean:+.3f} +- {half:.3f} in the long one")
    print(f"\nThe long run decides {decided} of {len(pairs)} pairs; {same} of them have the same order in the short run.")
    for line in missed:
        print(f"- {line}")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
