"""Recipes as people write them: good spellings agree, bad ones are refused by line."""

import pathlib
import resource
import unittest

from support import PROGRAM, RECIPE, ROOT, CommandCase, strict_json

SANITIZED = b"__asan_init" in pathlib.Path(PROGRAM).read_bytes()

GOOD = ["1e-4", "1E-4", "1.e-4", ".0001", "0.0001", "+1e-4"]
BAD = [
    "0,0001",
    "1e-4x",
    "nan",
    "inf",
    "-inf",
    ".nan",
    ".inf",
    "1e400",
    "1e-400",
    "0x1p-3",
    "1_000",
    "yes",
    "",
]


class Recipes(CommandCase):
    def refused_recipe(self, text, says, line=None):
        self.write("bad.yaml", text)
        place = "bad.yaml" if line is None else f"bad.yaml:{line}:"
        for command in "train", "run":
            parts = [says] if isinstance(says, str) else says
            self.refuses(2, command, "bad.yaml", "--out", "run", says=[place, *parts])

    def refused_change(self, *changes, says=()):
        self.refuses(2, "train", "r.yaml", *changes, "--out", "run", says=says)

    def test_files_that_are_no_recipe(self):
        self.refuses(2, "train", "nothing.yaml", "--out", "run", says="nothing.yaml: cannot be read")
        self.write("folder/.keep", "")
        self.refuses(2, "train", "folder", "--out", "run", says="folder: cannot be read: it is not a file but a folder")
        self.refused_recipe("", "empty")
        self.refused_recipe("# only a comment\n", "empty")
        self.refused_recipe("train: { lr: 1\n", "not YAML")
        self.refused_recipe("a\n", "found 'a'")
        self.refused_recipe("- a\n", "a list")
        self.refused_recipe(b"\0\1\2", "control character", 1)
        self.refused_recipe("data: {}\n---\ndata: {}\n", "second one")

    def test_keys(self):
        self.refused_recipe("lerning_rate: 1e-3\n", ["'lerning_rate'", "train.lr"], 1)
        self.refused_recipe("train:\n  lerning_rate: 1e-3\n", "train.lr", 2)
        self.refused_recipe("model:\n  lr: 1e-3\n", ["model.lr", "'train'"], 2)
        self.refused_recipe("train:\n  lr: 1e-3\n  lr: 1e-3\n", ["'lr'", "twice", "line 2"], 3)
        self.refused_recipe("train: { lr: 1 }\nmodel: {}\ntrain: { seed: 1 }\n", ["'train'", "twice"], 3)
        self.refused_recipe("encoding:\n  kind: alibi\n  base: 10000\n", ["base", "alibi"], 3)
        self.refused_change("lerning_rate=1", says=["lerning_rate=1", "train.lr"])
        self.refused_change("train.lr=1", "train.lr=2", says="twice")
        self.refused_change("=1")

    def test_many_keys_are_refused_soon(self):
        self.write("many.yaml", "".join(f"key{number}: 1\n" for number in range(30000)))
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        self.refuses(2, "card", "many.yaml", says="more than 10000 keys")
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 3)

    def test_good_numbers(self):
        for environment in {}, {"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}:
            for spelling in [*GOOD, "1e-4 # note"]:
                self.write("n.yaml", f"train:\n  lr: {spelling}\n")
                self.assertIn(
                    "\n  lr: 0.0001\n", self.resolved(recipe="n.yaml", environment=environment), spelling
                )
            for spelling in GOOD:
                self.assertIn(
                    "\n  lr: 0.0001\n",
                    self.resolved(f"train.lr={spelling}", environment=environment),
                    spelling,
                )

    def test_bad_numbers(self):
        for spelling in BAD:
            self.refused_recipe(f"train:\n  lr: {spelling}\n", "train.lr: expected a number", 2)
            self.refused_change(f"train.lr={spelling}", says="train.lr: expected a number")
        self.refused_change("train.lr=1e-4 # note", says="train.lr")
        for value, key in (
            ("1.5", "train.steps"),
            ("1", "model.dropout"),
            ("1e30", "train.tokens"),
            ("1e9", "model.layers"),
            ("1e9", "model.width"),
        ):
            self.refused_change(f"{key}={value}", says=[key, "expected", f"'{value}'"])

    def test_negative_values_are_values_and_not_options(self):
        for assignment in (
            "train.seed=-1",
            "train.weight_decay=-0.5",
            "encoding.fraction=-0.5",
            "model.layers=-1",
            "train.lr=-1e-3",
        ):
            key, value = assignment.split("=")
            self.refused_change(assignment, says=[key, "expected", f"'{value}'"])
        self.assertIn("\n  weight_decay: -0\n", self.resolved("train.weight_decay=-0"))

    def test_flags(self):
        for yes in "yes", "on", "true", "True":
            self.assertIn("\n  bias: true\n", self.resolved(f"model.bias={yes}"))
        for no in "no", "off", "false", "FALSE":
            self.assertIn("\n  tie_embeddings: false\n", self.resolved(f"model.tie_embeddings={no}"))
        for neither in "maybe", "1", "y", "":
            self.refused_change(f"model.bias={neither}", says="model.bias")

    def test_line_ends_and_marks(self):
        plain = self.resolved()
        for name, text in {
            "crlf.yaml": RECIPE.replace("\n", "\r\n").encode(),
            "bom.yaml": b"\xef\xbb\xbf" + RECIPE.encode(),
            "both.yaml": b"\xef\xbb\xbf" + RECIPE.replace("\n", "\r\n").encode(),
        }.items():
            self.write(name, text)
            self.assertEqual(self.resolved(recipe=name), plain, name)
        self.refused_recipe("train:\n\tlr: 1\n", "tab", 2)

    def test_sizes_that_do_not_fit(self):
        self.refused_change("model.width=64", "model.heads=3", says=["64", "3 heads"])
        self.refused_change("model.width=520", "model.heads=8", "encoding.kind=rope", says=["65"])
        self.refused_change("model.heads=4", "model.kv_heads=3", says=["4 heads", "3 kv_heads"])
        self.refused_change("train.batch_tokens=100", says=["100", "16"])
        self.refused_change("train.shards=3", says=["power of two", "3"])
        self.refused_change("mask.causal=false", says="mask.causal")
        self.refused_change("encoding.kind=ropee", says=["rope", "'ropee'"])
        self.refused_change("vary.train.seed=[0,1]", says="2 cells")

    def test_presets(self):
        text = self.resolved("encoding={kind: rope@gpt-neox}", "model.width=32")
        for line in "kind: rope", "base: 10000", "fraction: 0.25", "pairing: half_split":
            self.assertIn(f"\n  {line}\n", text)
        self.assertEqual(self.resolved("encoding={preset: rope@gpt-neox}", "model.width=32"), text)
        self.refused_change("encoding={kind: rope@lama}", says=["'rope@lama'", "'rope@llama'"])
        self.refuses(2, "card", "r.yaml", "encoding.kind=t5@neox", says="'t5@gpt-neox'")

    def test_shipped_recipes_resolve(self):
        recipes = sorted((ROOT / "recipes").glob("*/*.yaml"))
        self.assertGreaterEqual(len(recipes), 4)
        one_seed = ["vary.train.seed=[0]"] if SANITIZED else []  # where every cell takes long
        for recipe in recipes:
            _, err = self.locus("run", str(recipe), *one_seed, "--dry-run")
            if not SANITIZED:
                self.assertNotIn("table.", err, recipe)  # its seeds decide its primary contrasts

    def test_dry_run_reads_back_and_writes_nothing(self):
        for changes in (
            [],
            ["encoding={kind: t5}"],
            ["encoding={kind: learned}", "train.lr=3e-4"],
            ["mask.window=4", "mask.global=1"],
            ["model.layers=2", "mask.window=[4,0]", "mask.dilation=[3,1]"],
            ["mask.window=4", "mask.dilation=2", "mask.global=1", "mask.global_projections=true"],
        ):
            before = sorted(path.name for path in self.folder.iterdir())
            text = self.resolved(*changes, "train.tokens=1000")
            self.assertEqual(sorted(path.name for path in self.folder.iterdir()), before)
            self.write("again.yaml", text)
            self.assertEqual(self.resolved(recipe="again.yaml"), text)
            (self.folder / "again.yaml").unlink()
        self.assertEqual(self.train("run", "--dry-run")[1], "")
        self.assertFalse((self.folder / "run").exists())

    def test_dry_run_of_an_experiment_shows_each_cell(self):
        out, _ = self.locus("run", "r.yaml", "vary.train.seed=[0,1]", "--dry-run")
        self.assertEqual(out.count("question:"), 2)
        self.assertIn("# seed=0\n", out)
        self.assertIn("# seed=1\n", out)

    def test_encodings_of_grids_refuse_text_before_any_data_is_read(self):
        wide = ["model.width=64", "data={corpus: nowhere.txt}"]
        for kind in "rope_2d", "rope_mixed", "vit", "learned_2d":
            for command in "train", "run":
                for words in ["--out", "run"], ["--dry-run"]:
                    says = [kind, "2 axes", "found 1 (text)"]
                    self.refuses(2, command, "r.yaml", f"encoding={{kind: {kind}}}", *wide, *words, says=says)
            self.locus("card", "r.yaml", f"encoding={{kind: {kind}}}")
        self.refused_change("encoding={kind: rope_2d}", "model={width: 24, heads: 4}", says=["4", "6"])
        sections = "encoding={kind: mrope, mrope_section: '16,24,25'}"
        self.refused_change(sections, "model={width: 256, heads: 2}", says=["16,24,25", "65", "64"])
        self.refused_change("model={width: 520, heads: 8}", wide[1], says=["65"])
        self.refused_change("encoding={kind: rope, fraction: 0.3}", "model={width: 20, heads: 2}", says=["0.3", "10"])

    def test_numbers_that_follow_are_short(self):
        for rate, end in ("0.003", "0.0003"), ("0.0003", "3.0e-05"), ("0.07", "0.007"), ("1e-5", "1.0e-06"), ("0.0057", "0.00057"):
            self.assertIn(f"  min_lr: {end}\n", self.resolved(f"train.lr={rate}"))

    def test_the_card_says_norm_and_decay(self):
        conventions = strict_json(self.locus("card", "r.yaml", "--json")[0])["conventions"]
        self.assertIn("epsilon 1e-05", conventions["norm"])
        other = strict_json(self.locus("card", "r.yaml", "model.norm_epsilon=0.001", "--json")[0])["conventions"]
        self.assertIn("epsilon 0.001", other["norm"])
        self.refused_change("model.norm_epsilon=0", says=["model.norm_epsilon"])
        self.refused_change("model.rms_norm_eps=1e-6", says=["model.norm_epsilon"])
        decayed, others = conventions["weight decay"].split("; none of ")
        self.assertIn("blocks.*.mlp.up.weight", decayed)
        self.assertIn("final_norm.weight", others)
        self.assertNotIn("norm", decayed)

    def test_mrope_on_text_is_rope(self):
        losses = []
        for kind in "rope", "mrope":
            self.train(kind, f"encoding={{kind: {kind}}}")
            losses.append([record["loss"] for record in self.records(kind)])
        self.assertEqual(losses[0], losses[1])
        again = self.resolved("encoding={kind: mrope, mrope_section: '1,2,1'}")
        self.write("again.yaml", again)
        self.assertEqual(self.resolved(recipe="again.yaml"), again)
        self.write("standard.yaml", self.resolved("encoding={kind: mrope}"))
        self.assertIn('mrope_section: "1,2,1"', self.resolved(recipe="standard.yaml"))


if __name__ == "__main__":
    unittest.main()
