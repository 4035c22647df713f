"""An installed Locus is whole: its program runs wherever it stands, a program elsewhere adds an encoding to those that are
there, another one uses the library alone; and nothing is installed that is not meant for them."""
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("LOCUS_BUILD", ROOT / "build" / "release"))


# A program that asks the library alone: rotary terms of two positions, and the gradient of a sum of squares.
LIBRARY_CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(alone LANGUAGES C CXX)
find_package(Locus 0.1 REQUIRED)
add_executable(alone alone.cpp)
target_link_libraries(alone PRIVATE Locus::encodings Locus::train Locus::data)
"""
LIBRARY_PROGRAM = """
#include <locus.h>

#include <array>
#include <cstdio>

int main() {
    using namespace locus;
    const MutableTensor gradient = Tensor::zeros({3});
    Tape tape;
    const Recording recording(&tape);
    const Variable x = tape.leaf(Tensor::of({3}, std::array<Scalar, 3>{1, 2, 3}), gradient);
    const Variable sum = sum_all(multiply(x, x));
    tape.backward(sum, Tensor::full(sum.shape(), 1));
    for (const Scalar number : gradient.values()) std::printf("%g ", number);
    std::printf("%d", EncodingRegistry::instance().contains("rope"));
}
"""


def run(*words, code=0, folder=None):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          cwd=folder, check=False)
    assert done.returncode == code, f"{words}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def build_elsewhere(source, build, installed):
    run("cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", f"-DCMAKE_PREFIX_PATH={installed}",
        f"-DCMAKE_CXX_FLAGS={os.environ.get('LOCUS_CXX_FLAGS', '')}")
    run("cmake", "--build", build)


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
        build_elsewhere(example, cls.folder / "build", cls.folder / "locus")
        cls.program = cls.folder / "build" / "mylocus"
        cls.recipe = example / "gaussian.yaml"

    def test_the_installed_program_has_everything(self):
        for what in "encodings", "rules", "presets", "recipes":
            self.assertEqual(names(self.installed, what), names(BUILD / "locus", what), what)
        self.assertTrue((self.folder / "locus" / "share" / "locus" / "recipes" / "quick").is_dir())

    def test_what_is_installed_names_no_folder_of_the_build(self):
        here = str(ROOT).encode()
        for file in (self.folder / "locus").rglob("*"):
            if file.is_file() and not file.is_symlink():
                self.assertFalse(here in file.read_bytes(), f"{file} names {ROOT}")

    def test_the_installed_program_asks_for_its_own_recipes(self):
        recipe = self.folder / "locus" / "share" / "locus" / "recipes" / "quick" / "mine.yaml"
        recipe.write_text("question: Is this one listed?\n")
        try:
            self.assertIn("recipes/quick/mine.yaml", names(self.installed, "recipes"))
        finally:
            recipe.unlink()

    def test_headers_are_those_that_the_umbrella_leads_to(self):
        include = self.folder / "locus" / "include" / "locus"
        installed = {str(path.relative_to(include)) for path in include.rglob("*.h")} - {"locus.h"}
        reached, open_ = set(), ["locus.h"]
        while open_:
            text = (include / open_.pop()).read_text(encoding="utf-8")
            fresh = set(re.findall(r'^#include "(.*)"', text, re.MULTILINE)) - reached
            reached |= fresh
            open_ += fresh
        self.assertEqual(installed, reached)
        self.assertFalse([header for header in installed if header.startswith(("recipes/", "scripts/"))])

    def test_the_library_works_alone(self):
        source = self.folder / "alone"
        source.mkdir()
        (source / "CMakeLists.txt").write_text(LIBRARY_CMAKE)
        (source / "alone.cpp").write_text(LIBRARY_PROGRAM)
        build_elsewhere(source, source / "build", self.folder / "locus")
        self.assertEqual(run(source / "build" / "alone"), "2 4 6 1")

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
