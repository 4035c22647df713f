"""The benchmarks know every op, and the report of a series computes what it says."""
import importlib.util
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def load(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / "bench" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Ops(unittest.TestCase):
    def test_every_op_has_a_benchmark(self):
        declared = re.compile(r"^(?:Variable|CrossEntropy|Waves) (\w+)\(", re.MULTILINE)
        ops = {name for header in (ROOT / "framework" / "ops").glob("*.h") for name in declared.findall(header.read_text())}
        self.assertGreater(len(ops), 30)
        sources = "".join(path.read_text() for path in (ROOT / "tests" / "bench" / "ops").glob("*.cpp"))
        measured = set(re.findall(r'measure_op\(\s*(?:fmt::format\(\s*)?"(\w+)', sources))
        self.assertEqual(ops - measured, set())


class Ranks(unittest.TestCase):
    def test_ratios_are_of_medians(self):
        sys.path.insert(0, str(ROOT / "scripts" / "bench"))
        self.addCleanup(sys.path.pop, 0)
        ranks = load("ranks")
        samples = {"1 x 1": [10, 11, 90], "2 x 1": [20, 22, 21], "1 x 2": [30, 21, 21], "2 x 1, fast": [20, 21, 42],
                   "share: communication": [1.0, 2.0, 9.0], "share: waiting": [0.5, 0.5, 0.5],
                   "cells 1 x 1": [5, 5, 5], "cells 2 x 1": [9, 9, 9], "cells 1 x 2": [10, 10, 10]}
        rows = {row[0]: row[1:] for row in ranks.rows_of(samples)}
        self.assertEqual(rows["2 ranks x 1 thread / 1 rank x 1 thread"], ["1.909", "0.233", "2.000", "ratio", ">= 1.85"])
        self.assertEqual(rows["2 ranks x 1 thread / 1 rank x 2 threads"][0], "1.000")
        self.assertEqual(rows["fixed tree / MPI_Allreduce"][:2], ["1.000", "0.500"])
        self.assertEqual(rows["12 cells, 2 at once / one by one on 1 thread"][0], "1.800")
        self.assertEqual(rows["share: communication"], ["2.0", "1.0", "9.0", "% of a step", "<= 5"])
        self.assertEqual(rows["2 x 1"], ["21", "20", "22", "tokens/s", ""])


class Report(unittest.TestCase):
    SERIES = {
        "machine": {"cpu": "a processor", "target": "avx2", "blas_kernel": "Zen"},
        "threads": 2,
        "repeats": 3,
        "torch": "2.15.0",
        "load": 1.3,
        "configurations": [{
            "name": "3x64x4, 64, 32", "steps": 7, "parameters": 10, "flops_per_token": 1e6,
            "samples": {"peak": [190e9, 200e9, 999e9], "sgemm default": [100e9, 90e9, 125e9],
                        "sgemm default, 1 thread": [1e15, 1e15, 1e15], "sgemm Zen": [160e9, 150e9, 170e9],
                        "locus": [150e3, 160e3, 100e3], "locus, 1 thread": [75e3, 70e3, 80e3],
                        "torch eager, 1 x 2 threads": [50e3, 40e3, 60e3],
                        "torch eager, 2 x 1 threads": [100e3, 100e3, 100e3]},
            "not_run": {"locus, bf16": "train.precision: expected fp32"},
        }],
    }

    def test_ratios_are_of_medians(self):
        report = load("report")
        row = dict(zip(report.HEAD, report.ratios_of(self.SERIES["configurations"][0], 2)))
        self.assertEqual(row, {
            "configuration": "3x64x4, 64, 32", "tokens/s": "150000", "GFLOP/s": "150.0", "/ FMA peak": "0.75",
            "/ sgemm": "1.50", "/ best sgemm": "0.94", "/ best torch, 1 process": "3.00", "/ best torch": "1.50",
            "/ 1 thread": "2.00", "bf16 /": "—", "avx2 /": "—", "OpenBLAS /": "—"})

    def test_what_was_not_run_says_why(self):
        text = load("report").text(self.SERIES)
        self.assertIn("not run: train.precision: expected fp32", text)
        self.assertIn("a processor, 2 threads, avx2", text)
        self.assertIn("load average 1.3", text)
        self.assertNotIn("load average", load("report").text({**self.SERIES, "load": 0.1}))


if __name__ == "__main__":
    unittest.main()
