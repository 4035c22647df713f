#!/usr/bin/python3
"""plot.py draws what `locus table` lays out: gaps stay gaps, one exploding arm does not flatten the rest, every name
draws, the unit is the table's, and what is no one experiment is refused in one line."""
import importlib.util
import json
import math
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "plot.py"
if importlib.util.find_spec("matplotlib") is None:
    print("not run: matplotlib is not installed")
    sys.exit(77)
sys.dont_write_bytecode = True
specification = importlib.util.spec_from_file_location("plot", SCRIPT)
plot = importlib.util.module_from_spec(specification)
specification.loader.exec_module(plot)

NAMES = ["length_non_overlapping", "context_same_target", "position_per_position", "training"]


def results(axis, values):
    return [{axis: place, "nats_per_token": nats,
             "bits_per_byte": None if nats is None else nats / math.log(2),
             "perplexity": None if nats is None else math.exp(nats), "state": "ok" if nats else "beyond_table"}
            for place, nats in values]


def write_run(root, arm, seed, losses, question="Which one?", cell="bits_per_byte"):
    folder = Path(root) / f"{arm},seed={seed}"
    (folder / "evaluations").mkdir(parents=True)
    (folder / "recipe.yaml").write_text(
        f"question: {json.dumps(question)}\ntrain: {{length: 64, seed: {seed}}}\nencoding: {{kind: rope}}\n"
        f"evaluate: {{split: valid, protocols: [non_overlapping, same_target, per_position]}}\n"
        f"table: {{rows: arm, columns: [protocol, length], cell: {cell}, over: train.seed}}\n"
        f"cell: {{arm: {json.dumps(arm)}, train.seed: {seed}}}\n")
    manifest = {"train_length": 64, "state": "done"}
    head = {"split": "valid", "unit": "byte"}
    runs = [{"protocol": "non_overlapping", "results": results("length", losses.items()), **head},
            {"protocol": "same_target", "results": results("context", losses.items()), **head},
            {"protocol": "per_position", "results": results("bin", [([0, 1], 4.0), ([2, 63], 2.0)]), **head}]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "evaluations" / "summary.json").write_text(json.dumps({"runs": runs}))
    steps = [{"step": step, "tokens": 10 * step, "loss": 8 / step} for step in range(1, 101)]
    (folder / "metrics.jsonl").write_text("".join(json.dumps(step) + "\n" for step in steps))


def run(*arguments):
    return subprocess.run(["/usr/bin/python3", SCRIPT, *arguments], capture_output=True, text=True, check=False)


def curve(*runs):
    """As the program lays it out: each run {x: value}."""
    xs = sorted({x for points in runs for x in points})
    mean = [[x, None if any(points.get(x) is None for points in runs) else sum(points[x] for points in runs) / len(runs)]
            for x in xs]
    return {"arm": "arm", "mean": mean, "runs": [{"run": "r", "points": [list(p) for p in points.items()]} for points in runs]}


class Plot(unittest.TestCase):
    def test_figures_are_written_and_named_whatever_the_names(self):
        with tempfile.TemporaryDirectory() as root:
            for seed in (0, 1):
                write_run(root, "rope", seed, {64: 2.0, 128: 9.0}, "What is $x_1 for $5 and 100 %? \\alpha^2")
                write_run(root, "_x", seed, {64: 2.1, 128: None}, "What is $x_1 for $5 and 100 %? \\alpha^2")
            result = run(root)
            self.assertEqual(result.returncode, 0, result.stderr)
            expected = [f"{root}/figures/{name}.{kind}" for name in NAMES for kind in ("png", "svg", "pdf")]
            self.assertEqual(result.stdout.split(), expected)
            for path in expected:
                self.assertTrue(Path(path).read_bytes().startswith((b"\x89PNG", b"<?xml", b"%PDF")), path)
            svg = Path(expected[1]).read_text(encoding="utf-8")
            for text in ("_x", "rope", "$x_1 for $5 and 100 %", "bits per byte"):
                self.assertIn(f"<!-- {text}" if text in ("_x", "rope") else text, svg)
            first = [Path(path).read_bytes() for path in expected]
            run(root)
            self.assertEqual(first, [Path(path).read_bytes() for path in expected], "the same runs, the same figures")

    def test_the_unit_is_the_tables(self):
        with tempfile.TemporaryDirectory() as root:
            write_run(root, "rope", 0, {64: 2.0, 128: 3.0}, cell="nats_per_token")
            figures = plot.read_figures(root)["figures"]
            self.assertEqual({figure["y_label"] for figure in figures}, {"nats per token"})
            self.assertEqual(figures[0]["curves"][0]["mean"], [[64, 2.0], [128, 3.0]])
        with tempfile.TemporaryDirectory() as root:
            write_run(root, "rope", 0, {64: 2.0, 128: 3.0}, cell="perplexity")
            figures = {figure["name"]: figure for figure in plot.read_figures(root)["figures"]}
            self.assertEqual({figure["y_label"] for figure in figures.values()}, {"perplexity"})
            self.assertAlmostEqual(figures["training"]["curves"][0]["mean"][-1][1],
                                   math.exp((8 / 98 + 8 / 99 + 8 / 100) / 3))

    def test_a_missing_value_is_a_gap_and_never_a_mean_of_fewer(self):
        with tempfile.TemporaryDirectory() as root:
            write_run(root, "rope", 0, {64: 2.0, 128: 3.0}, cell="nats_per_token")
            write_run(root, "rope", 1, {64: 4.0, 128: None}, cell="nats_per_token")
            mean = plot.read_figures(root)["figures"][0]["curves"][0]["mean"]
            self.assertEqual(mean, [[64, 3.0], [128, None]])
            xs, ys = plot.lines_of(mean)
            self.assertEqual(xs, [64, 128])
            self.assertTrue(math.isnan(ys[1]))

    def test_training_is_drawn_as_means_over_parts(self):
        with tempfile.TemporaryDirectory() as root:
            write_run(root, "rope", 0, {64: 2.0}, cell="nats_per_token")
            points = plot.read_figures(root)["figures"][-1]["curves"][0]["runs"][0]["points"]
            self.assertEqual(len(points), 40)
            self.assertEqual(points[-1][0], 1000)
            self.assertAlmostEqual(points[-1][1], (8 / 98 + 8 / 99 + 8 / 100) / 3)

    def test_an_exploding_arm_does_not_set_the_axis(self):
        flat = [curve({64: 2.0, 128: 2.2 + i / 10}) for i in range(3)]
        _, top = plot.limits([*flat, curve({64: 2.0, 128: 14.0})])
        self.assertGreater(top, 2.4)
        self.assertLess(top, 4)
        _, top = plot.limits(flat)
        self.assertGreater(top, 2.4)
        self.assertIsNone(plot.limits([curve({64: None})]))

    def test_the_trained_length_is_named_where_no_curve_runs(self):
        high = curve({8: 3.0, 32: 2.9, 64: 2.9, 128: 2.0})
        low = curve({8: 2.5, 32: 2.1, 64: 2.05, 128: 2.0})
        self.assertEqual(plot.label_place([high], 64, (2.0, 3.0))[1], "bottom")
        self.assertEqual(plot.label_place([low], 64, (2.0, 3.0))[1], "top")
        self.assertEqual(plot.label_place([high, low], 64, (2.0, 3.0))[1], "center")
        self.assertEqual(plot.label_place([curve({64: None, 128: 2.0})], 64, (2.0, 3.0))[1], "top")

    def test_runs_of_two_experiments_are_refused_as_the_table_does(self):
        with tempfile.TemporaryDirectory() as root:
            write_run(root, "rope", 0, {64: 2.0})
            write_run(root, "rope", 1, {64: 3.0}, question="Another one?")
            result = run(root)
            self.assertEqual(result.returncode, 1)
            self.assertIn("different experiments", result.stderr)
            self.assertEqual(len(result.stderr.splitlines()), 1)
            self.assertFalse(Path(root, "figures").exists())

    def test_errors_are_one_line(self):
        with tempfile.TemporaryDirectory() as root:
            for folder in (root, f"{root}/absent"):
                result = run(folder)
                self.assertEqual(result.returncode, 1)
                self.assertEqual(len(result.stderr.splitlines()), 1)
                self.assertIn(root, result.stderr)
                self.assertFalse(Path(root, "figures").exists())
            write_run(root, "rope", 0, {64: 2.0})
            Path(root, "rope,seed=0", "evaluations", "summary.json").write_text('{"runs": [')
            result = run(root)
            self.assertEqual(result.returncode, 1)
            self.assertIn("summary.json", result.stderr)


if __name__ == "__main__":
    unittest.main()
