"""An installed Locus is whole: its program runs, and a program elsewhere adds an encoding to those that are there."""
import json
import math
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("LOCUS_BUILD", ROOT / "build" / "release"))


def run(*words, code=0, folder=None):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          cwd=folder, check=False)
    assert done.returncode == code, f"{words}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def names(program, what):
    return {entry["name"] for entry in json.loads(run(program, "list", what, "--json"))}


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="locus-install-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        run("cmake", "--install", BUILD, "--prefix", cls.folder / "locus")
        cls.installed = cls.folder / "locus" / "bin" / "locus"
        example = cls.folder / "source"  # nothing of the tree of Locus is near
        shutil.copytree(ROOT / "examples" / "encoding", example)
        run("cmake", "-S", example, "-B", cls.folder / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
            f"-DCMAKE_PREFIX_PATH={cls.folder / 'locus'}", f"-DCMAKE_CXX_FLAGS={os.environ.get('LOCUS_CXX_FLAGS', '')}")
        run("cmake", "--build", cls.folder / "build")
        cls.program = cls.folder / "build" / "mylocus"
        cls.recipe = example / "gaussian.yaml"

    def test_the_installed_program_has_everything(self):
        for what in "encodings", "rules", "presets", "recipes":
            self.assertEqual(names(self.installed, what), names(BUILD / "locus", what), what)
        self.assertTrue((self.folder / "locus" / "share" / "locus" / "recipes" / "quick").is_dir())

    def test_the_other_program_has_one_encoding_more(self):
        self.assertEqual(names(self.program, "encodings"), names(self.installed, "encodings") | {"gaussian"})
        self.assertEqual(names(self.program, "rules"), names(self.installed, "rules"))

    def test_its_encoding_is_as_good_as_any(self):
        card = json.loads(run(self.program, "card", self.recipe, "--json"))
        self.assertEqual(card["kind"], "gaussian")
        for distance, bias in zip(card["distances"], card["bias"][1]):
            self.assertAlmostEqual(bias, -distance * distance / 128, delta=1e-12)
        self.assertEqual(card["rows"], [])  # it has no table of biases that a distance could be a row of
        self.assertRegex(run(self.program, "card", self.recipe), r"bias by distance[^\n]*\n  distance +head 0")
        run(self.program, "train", self.recipe, "--out", self.folder / "run", "--threads", 1)
        results = json.loads(run(self.program, "eval", self.folder / "run", "--json"))["runs"][0]["results"]
        self.assertTrue(all(math.isfinite(result["nats_per_token"]) for result in results))
        self.assertTrue(json.loads(run(self.program, "verify", self.recipe, "--json"))["passed"])


if __name__ == "__main__":
    unittest.main()
