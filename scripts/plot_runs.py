"""Run folders as the figures of plot.py need them."""
import json
import math
import sys
from collections import namedtuple

TRAINING_PARTS = 40

Run = namedtuple("Run", "arm seed trained question evaluations")


def fail(message):
    sys.exit(f"plot: {message}")


def read_json(path):
    """The document in `path`, with NaN and infinity as None."""
    try:
        return json.loads(path.read_text(encoding="utf-8"), parse_constant=lambda _: None)
    except (OSError, ValueError) as error:
        fail(f"{path} cannot be read: {error}")


def arm_name(cell, folder):
    """What a run is called in the legend: what varies, the seed aside."""
    parts = {key: value for key, value in cell.items() if key != "train.seed"}
    if not parts:
        return folder if not cell else "all seeds"
    if list(parts) == ["arm"]:
        return str(parts["arm"])
    return ", ".join(f"{key.rpartition('.')[2]}={value}" for key, value in parts.items())


def training(path):
    """The losses of the steps in a run's log as an evaluation: their means over each part of the run."""
    if not path.is_file():
        return []
    try:
        steps = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        points = [(step["tokens"], step["loss"]) for step in steps if step.get("loss") is not None]
    except (OSError, ValueError, KeyError) as error:
        fail(f"{path} cannot be read: {error}")
    results = []
    parts = min(TRAINING_PARTS, len(points))
    for part in range(parts):
        within = points[len(points) * part // parts:len(points) * (part + 1) // parts]
        results.append({"tokens": within[-1][0], "nats_per_token": sum(loss for _, loss in within) / len(within)})
    return [{"protocol": "training", "split": "train", "results": results}] if len(results) > 1 else []


def read_runs(folder):
    """The runs under `folder`, in the order of the recipe where the manifests tell it, else by name."""
    if not folder.is_dir():
        fail(f"{folder} is not a folder")
    found = []
    for path in sorted(folder.rglob("manifest.json")):
        summary = path.parent / "evaluations" / "summary.json"
        if not summary.is_file():
            print(f"plot: {path.parent} has no evaluations yet: left out", file=sys.stderr)
            continue
        manifest = read_json(path)
        cell = manifest.get("cell") or {}
        evaluations = read_json(summary).get("runs", []) + training(path.parent / "metrics.jsonl")
        run = Run(arm_name(cell, path.parent.name), cell.get("train.seed"), manifest.get("train_length"),
                  manifest.get("question") or "", evaluations)
        found.append((manifest.get("index", math.inf), len(found), run))
    if not found:
        fail(f"{folder} holds no run folder with evaluations (manifest.json and evaluations/summary.json)")
    return [run for _, _, run in sorted(found, key=lambda entry: entry[:2])]
