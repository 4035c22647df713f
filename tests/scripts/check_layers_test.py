#!/usr/bin/env python3
"""check_layers.py finds what it is there to find."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "check_layers.py"


class CheckLayers(unittest.TestCase):
    def run_on(self, *options, **files):
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = Path(root) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return subprocess.run([sys.executable, SCRIPT, *options, root], capture_output=True, text=True, check=False)

    def refuses(self, file, include):
        result = self.run_on(**{file: f"// one\n#include {include}\n", "framework/core/a.h": ""})
        self.assertEqual(result.returncode, 1, f"{file} includes {include}")
        self.assertIn(f"{file}:2: ", result.stdout)

    def accepts(self, file, include):
        result = self.run_on(**{file: f"#include {include}\n"})
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_upward_includes(self):
        self.refuses("framework/core/x.h", '"framework/autodiff/variable.h"')
        self.refuses("framework/autodiff/x.cpp", '"framework/ops/matmul.h"')
        self.refuses("framework/ops/kernels/x.cpp", '"framework/nn/module.h"')
        self.refuses("framework/nn/x.h", '"framework/optim/adamw.h"')
        self.refuses("framework/io/x.cpp", '"framework/ops/matmul.h"')
        self.refuses("framework/distributed/x.h", '"framework/io/hdf5.h"')
        self.refuses("framework/train/x.h", '"models/options.h"')
        self.refuses("models/x.h", "<recipes/engine/run/drawn_training.h>")
        self.refuses("recipes/engine/run/x.h", '"scripts/command.h"')
        self.refuses("scripts/x.cpp", '"tests/tools.h"')

    def test_models_and_data_do_not_see_each_other(self):
        self.refuses("models/encodings/x.cpp", '"data/corpus.h"')
        self.refuses("data/tasks/x.cpp", '"models/encoding.h"')

    def test_rooms_of_the_engine(self):
        self.refuses("recipes/engine/config/axes.cpp", '"recipes/engine/report/table_words.h"')
        self.refuses("recipes/engine/statistics/x.cpp", '"recipes/engine/config/recipe.h"')
        self.refuses("recipes/engine/report/x.cpp", '"recipes/engine/run/workbench.h"')
        self.refuses("recipes/engine/report/x.cpp", '"models/transformer.h"')
        self.refuses("recipes/engine/run/x.cpp", '"recipes/engine/experiment/experiment.h"')
        self.refuses("recipes/engine/card/x.cpp", '"recipes/engine/verify/verify.h"')
        self.refuses("recipes/engine/x.cpp", '"framework/core/error.h"')
        self.accepts("recipes/engine/report/x.cpp", '"recipes/engine/config/recipe.h"')
        self.accepts("recipes/engine/experiment/x.cpp", '"recipes/engine/run/train_run.h"')

    def test_libraries_link_what_the_rules_allow(self):
        def linked(identity, files):
            lists = f"locus_room(statistics LINKS core)\nlocus_room(identity LINKS {identity}\n           EXTERNAL fmt::fmt)\n"
            return self.run_on(**{"framework/CMakeLists.txt": "locus_library(core SOURCES ${core} EXTERNAL fmt::fmt)\n",
                                  "framework/core/a.h": "", "recipes/engine/statistics/b.h": "",
                                  "recipes/engine/identity/c.h": files, "recipes/engine/CMakeLists.txt": lists})

        core = '#include "framework/core/a.h"\n'
        self.assertEqual(linked("core", core).returncode, 0)
        upward = linked("core statistics", core)
        self.assertEqual(upward.returncode, 1)
        self.assertIn("recipes/engine/CMakeLists.txt:2: identity may not link statistics", upward.stdout)
        self.assertIn("links nothing_known, which is no library", linked("core nothing_known", core).stdout)
        self.assertIn("identity does not link framework/core/", linked("", core).stdout)

    def test_tests_mirror_the_folders(self):
        files = {"framework/core/a.h": "", "tests/framework/core/a_test.cpp": "", "tests/cli/run_test.py": ""}
        self.assertEqual(self.run_on(**files).returncode, 0)
        strayed = self.run_on(**files, **{"tests/table/words_test.cpp": ""})
        self.assertEqual(strayed.returncode, 1)
        self.assertIn("tests/table: mirrors no folder", strayed.stdout)

    def test_the_scalar_namespace(self):
        two_lines = "namespace locus {\ninline namespace LOCUS_SCALAR {\n}\n}\n"
        one_line = "namespace locus::inline LOCUS_SCALAR {\n}\n"
        core = {"framework/core/a.h": ""}
        for file in "framework/core/x.h", "models/encodings/x.cpp", "tests/models/x_test.cpp", "examples/encoding/x.cpp":
            self.assertEqual(self.run_on(**core, **{file: two_lines, "models/y.h": ""}).returncode, 0, file)
            refused = self.run_on(**core, **{file: one_line})
            self.assertIn(f"{file}:1: write `namespace locus {{`", refused.stdout)
            self.assertEqual(refused.returncode, 1)
        for file in "recipes/engine/run/x.h", "scripts/commands/x.cpp", "data/x.h", "tests/recipes/engine/run/x.h":
            refused = self.run_on(**core, **{file: two_lines})
            self.assertIn(f"{file}:2: no scalar namespace above models/", refused.stdout)
            self.assertEqual(refused.returncode, 1)

    def test_paths_are_from_the_root(self):
        self.refuses("framework/core/b.h", '"a.h"')
        self.refuses("framework/core/b.h", '"framework/../models/options.h"')

    def test_a_folder_without_a_layer(self):
        self.refuses("framework/extra/x.h", '"framework/core/error.h"')

    def test_libraries_stay_where_they_belong(self):
        self.refuses("recipes/engine/config/x.h", "<yaml-cpp/yaml.h>")
        self.refuses("recipes/engine/run/x.cpp", "<yaml-cpp/yaml.h>")
        self.refuses("models/x.cpp", "<hdf5.h>")
        self.refuses("recipes/engine/run/x.cpp", "<cxxopts.hpp>")
        self.accepts("recipes/engine/config/x.cpp", "<yaml-cpp/yaml.h>")
        self.accepts("framework/io/x.cpp", "<hdf5.h>")

    def test_downward_includes(self):
        self.accepts("framework/optim/x.cpp", '"framework/core/tensor.h"')
        self.accepts("framework/train/fit.cpp", '"framework/distributed/communicator.h"')
        self.accepts("models/encodings/x.cpp", '"models/encoding.h"')
        self.accepts("recipes/engine/run/x.cpp", '"data/corpus.h"')
        self.accepts("scripts/commands/x.cpp", '"recipes/engine/run/drawn_training.h"')

    def test_one_place_writes_to_the_streams(self):
        for line in 'fmt::print("x");', 'fmt::print(stderr, "x");', "std::cout << 1;", 'std::fputs("x", stderr);':
            for file in "recipes/engine/x.cpp", "scripts/commands/x.cpp", "framework/core/x.h":
                result = self.run_on(**{file: f"void f() {{\n    {line}\n}}\n"})
                self.assertEqual(result.returncode, 1, line)
                self.assertIn(f"{file}:2: ", result.stdout)
            self.assertEqual(self.run_on(**{"scripts/commands/output.cpp": line + "\n"}).returncode, 0)
        self.assertEqual(self.run_on(**{"models/x.cpp": "int f();  // on stderr\n"}).returncode, 0)

    def test_the_graph(self):
        words = "words that make a long line " * 3
        folders = {"framework/core/a.h": "namespace locus {\nint one(int a) {\n    return a;\n}\n"
                                         "bool short_one() { return true; }  // and why\n\n"
                                         f"int longer(int a,  // {words}\n           int b) {{\n    if (a) {{\n"
                                         "        b = 1;\n    }\n    return b;\n}\n}\n",
                   "framework/io/b.h": '#include "framework/core/a.h"\n',
                   "models/c.h": '#include "framework/core/a.h"\nclass Transformer {};\n// Transformer-XL\n',
                   "models/d.h": "// Transformer-XL\n",
                   "data/e.h": '#include "framework/io/b.h"\n#include "framework/core/a.h"\n'}
        shown = self.run_on("--graph", **folders).stdout
        self.assertRegex(shown, r"\n +1  framework/core +1 +14  -\n")
        self.assertRegex(shown, r"\n +2  models +2 .* framework/core 1\n")
        self.assertRegex(shown, r"\n +3  data +1 +2  framework/core 1, framework/io 1\n")
        self.assertIn("rooms: 4, floors: 3, arrows: 4, upward: 0", shown)
        self.assertIn("long function: 7 lines, longer, framework/core/a.h:7\n", shown)
        self.assertIn("long file: 14 lines, framework/core/a.h\n", shown)
        self.assertIn("files that name Transformer: 1 (models 1)\n    models/c.h\n", shown)

        folders["framework/core/up.h"] = '#include "data/e.h"\n'
        shown = self.run_on("--graph", **folders).stdout
        self.assertRegex(shown, r"\n +1  framework/core .* data 1 UPWARD\n")
        self.assertIn("rooms: 4, floors: 3, arrows: 5, upward: 1", shown)

    def test_nothing_to_check_is_no_success(self):
        self.assertEqual(self.run_on(**{"README.md": ""}).returncode, 2)


if __name__ == "__main__":
    unittest.main()
