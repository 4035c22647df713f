#!/usr/bin/python3
"""plot.py draws run folders: gaps stay gaps, one exploding arm does not flatten the rest, errors are one line."""
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
sys.path.insert(0, str(SCRIPT.parent))
specification = importlib.util.spec_from_file_location("plot", SCRIPT)
plot = importlib.util.module_from_spec(specification)
specification.loader.exec_module(plot)
import plot_runs  # noqa: E402  (beside plot.py)


def write_run(root, arm, seed, losses):
    folder = Path(root) / f"{arm},seed={seed}"
    (folder / "evaluations").mkdir(parents=True)
    manifest = {"cell": {"arm": arm, "train.seed": seed}, "train_length": 64, "question": "Which one?"}
    results = [{"length": length, "bits_per_byte": loss} for length, loss in losses.items()]
    runs = [{"protocol": "non_overlapping", "split": "valid", "results": results},
            {"protocol": "same_target", "split": "valid",
             "results": [{"context": row["length"], "bits_per_byte": row["bits_per_byte"]} for row in results]},
            {"protocol": "per_position", "split": "valid",
             "results": [{"bin": [0, 1], "bits_per_byte": 4.0}, {"bin": [2, 63], "bits_per_byte": 2.0}]}]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "evaluations" / "summary.json").write_text(json.dumps({"runs": runs}))
    steps = [{"step": step, "tokens": 10 * step, "loss": 8 / step} for step in range(1, 101)]
    (folder / "metrics.jsonl").write_text("".join(json.dumps(step) + "\n" for step in steps))


def run(*arguments):
    return subprocess.run(["/usr/bin/python3", SCRIPT, *arguments], capture_output=True, text=True, check=False)


class Plot(unittest.TestCase):
    def test_figures_are_written_and_named(self):
        with tempfile.TemporaryDirectory() as root:
            for seed in (0, 1):
                write_run(root, "rope", seed, {64: 2.0, 128: 9.0})
                write_run(root, "learned", seed, {64: 2.1, 128: None})
            result = run(root)
            self.assertEqual(result.returncode, 0, result.stderr)
            names = ["length_non_overlapping", "context_same_target", "position_per_position", "training"]
            expected = [f"{root}/figures/{name}.{kind}" for name in names for kind in ("png", "svg")]
            self.assertEqual(result.stdout.split(), expected)
            for path in expected:
                self.assertTrue(Path(path).read_bytes().startswith((b"\x89PNG", b"<?xml")), path)
            first = Path(expected[1]).read_bytes()
            run(root)
            self.assertEqual(first, Path(expected[1]).read_bytes(), "the same runs give the same figure")

    def test_a_missing_value_is_a_gap_and_never_a_mean_of_fewer(self):
        xs, means = plot.mean_curve(plot.Curve("arm", [{64: 2.0, 128: 3.0}, {64: 4.0, 128: None}]))
        self.assertEqual(xs, [64, 128])
        self.assertEqual(means[0], 3.0)
        self.assertTrue(math.isnan(means[1]))

    def test_training_is_drawn_as_means_over_parts(self):
        with tempfile.TemporaryDirectory() as root:
            write_run(root, "rope", 0, {64: 2.0})
            [evaluation] = plot_runs.training(Path(root, "rope,seed=0", "metrics.jsonl"))
            results = evaluation["results"]
            self.assertEqual(len(results), 40)
            self.assertEqual(results[-1]["tokens"], 1000)
            self.assertAlmostEqual(results[-1]["nats_per_token"], (8 / 98 + 8 / 99 + 8 / 100) / 3)
            self.assertEqual(sum(round(row["tokens"]) > 0 for row in results), 40)

    def test_an_exploding_arm_does_not_set_the_axis(self):
        flat = [plot.Curve(f"arm{i}", [{64: 2.0, 128: 2.2 + i / 10}]) for i in range(3)]
        _, top = plot.limits([*flat, plot.Curve("bad", [{64: 2.0, 128: 14.0}])])
        self.assertGreater(top, 2.4)
        self.assertLess(top, 4)
        _, top = plot.limits(flat)
        self.assertGreater(top, 2.4)
        self.assertIsNone(plot.limits([plot.Curve("none", [{64: None}])]))

    def test_the_trained_length_is_named_where_no_curve_runs(self):
        high = plot.Curve("high", [{8: 3.0, 32: 2.9, 64: 2.9, 128: 2.0}])
        low = plot.Curve("low", [{8: 2.5, 32: 2.1, 64: 2.05, 128: 2.0}])
        self.assertEqual(plot.label_place([high], 64, (2.0, 3.0))[1], "bottom")
        self.assertEqual(plot.label_place([low], 64, (2.0, 3.0))[1], "top")
        self.assertEqual(plot.label_place([high, low], 64, (2.0, 3.0))[1], "center")
        self.assertEqual(plot.label_place([plot.Curve("gap", [{64: None, 128: 2.0}])], 64, (2.0, 3.0))[1], "top")

    def test_an_arm_is_named_by_what_varies(self):
        self.assertEqual(plot_runs.arm_name({"arm": "rope", "train.seed": 1}, "x"), "rope")
        self.assertEqual(plot_runs.arm_name({"encoding.kind": "t5", "train.lr": 0.001}, "x"), "kind=t5, lr=0.001")
        self.assertEqual(plot_runs.arm_name({}, "folder"), "folder")

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
            self.assertIn("summary.json cannot be read", result.stderr)


if __name__ == "__main__":
    unittest.main()
