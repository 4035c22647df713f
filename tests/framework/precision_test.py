#!/usr/bin/env python3
"""Gradients of every op in single precision against those of the double build, on the same inputs."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

BUILDS = [os.environ["TEST_F32"], os.environ["TEST_F64"]]


def gradients(program, path):
    words = [program, "--gtest_filter=GradientList.WritesAllToTheFileThatIsAskedFor"]
    subprocess.run(words, check=True, capture_output=True, env={**os.environ, "LOCUS_GRADIENTS": str(path)})
    return json.loads(path.read_text())


class Precision(unittest.TestCase):
    def test_single_is_within_1e_5_of_double(self):
        with tempfile.TemporaryDirectory() as folder:
            single, double = (gradients(program, pathlib.Path(folder, f"{i}.json")) for i, program in enumerate(BUILDS))
        self.assertEqual(single.keys(), double.keys())
        self.assertGreater(len(double), 60)
        for op, expected in double.items():
            self.assertEqual(len(single[op]), len(expected), op)
            for k, (found, exact) in enumerate(zip(single[op], expected)):
                error = max(abs(a - b) for a, b in zip(found, exact, strict=True))
                self.assertLessEqual(error, 1e-5 * max(map(abs, exact)), f"{op}, input {k}")


if __name__ == "__main__":
    unittest.main()
