"""compare_runs.py on run folders whose losses are written here: orders that turn, gaps that move, seeds that are missing."""
import json
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "compare_runs.py"


class CompareRuns(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.root = Path(self.scratch.name)

    def runs(self, name, **arms):
        """A folder of runs, {arm: losses by seed} at context 64 of same_target."""
        for arm, losses in arms.items():
            for seed, nats in enumerate(losses):
                folder = self.root / name / f"{arm},seed={seed}"
                (folder / "evaluations").mkdir(parents=True)
                manifest = {"cell": {"arm": arm, "train.seed": str(seed)}, "seed": seed, "encoding": arm}
                (folder / "manifest.json").write_text(json.dumps(manifest))
                results = [{"context": 32, "nats_per_token": 9.0}, {"context": 64, "nats_per_token": nats}]
                summary = {"runs": [{"protocol": "same_target", "results": results}]}
                (folder / "evaluations" / "summary.json").write_text(json.dumps(summary))
        return self.root / name

    def compare(self, short, long, *words):
        return subprocess.run(["/usr/bin/python3", SCRIPT, short, long, *words], capture_output=True, text=True, check=False)

    def test_the_same_verdicts(self):
        short = self.runs("short", rope=[1.5, 1.52, 1.48], alibi=[1.6, 1.61, 1.59])
        long = self.runs("long", rope=[1.4, 1.42, 1.38], alibi=[1.48, 1.51, 1.47])
        result = self.compare(short, long)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        # gaps 0.100 and (0.08 + 0.09 + 0.09) / 3
        self.assertIn("| alibi | 1.600 | 1.487 | +0.100 | +0.087 | -0.013 |", result.stdout)
        self.assertIn("decides 1 of 1 pairs; 1 of them have the same order", result.stdout)

    def test_a_gap_that_moves_and_an_order_that_turns(self):
        short = self.runs("short", rope=[1.5, 1.5], late=[1.8, 1.8], early=[1.6, 1.6])
        long = self.runs("long", rope=[1.4, 1.4], late=[1.45, 1.452], early=[1.5, 1.502])
        result = self.compare(short, long)
        self.assertEqual(result.returncode, 1)
        self.assertIn("late: its gap to rope is +0.300 in the short run, +0.051 in the long one", result.stdout)
        self.assertIn("early - late: -0.200 in the short run, +0.050", result.stdout)
        self.assertNotIn("early: its gap", result.stdout)

    def test_one_seed_decides_nothing(self):
        short, long = self.runs("short", rope=[1.5], alibi=[1.4]), self.runs("long", rope=[1.5], alibi=[1.6])
        self.assertIn("decides 0 of 1 pairs", self.compare(short, long, "--within", "1").stdout)

    def test_what_is_not_there(self):
        short = self.runs("short", rope=[1.5], alibi=[1.6])
        (self.root / "empty").mkdir()
        self.assertIn("no run with same_target at 64", self.compare(short, self.root / "empty").stderr)
        self.assertIn("no arm 'nope'", self.compare(short, short, "--to", "nope").stderr)
        self.assertIn("no run with same_target at 7", self.compare(short, short, "--length", "7").stderr)


if __name__ == "__main__":
    unittest.main()
