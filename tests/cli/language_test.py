"""The recipe language from the command line: bases, products, chosen arms, paths, and what does not retrain."""

import json
import unittest

from support import ROOT, CommandCase, strict_json, tree

TINY = """data: { corpus: generated, documents: 12, document_length: 600 }
model: { layers: 1, width: 16, heads: 2 }
train: { length: 16, steps: 2, batch_tokens: 64, shards: 2 }
evaluate: { lengths: [16, 32], protocols: [same_target], targets: 32 }
"""
ARMS = """question: Which?
base: common/tiny.yaml
vary:
  arm:
    - { name: rope, encoding: { kind: rope } }
    - name: "alibi{x}"
      product: { x: [-a, -b] }
      encoding.kind: alibi
      when: { x: -b, set: { encoding.slopes: naive } }
  train.seed: { from: 0, to: 1 }
"""


class Language(CommandCase):
    def setUp(self):
        super().setUp()
        self.write("common/tiny.yaml", TINY)
        self.write("x.yaml", ARMS)

    def names(self, *words):
        out, _ = self.locus("run", "x.yaml", *words, "--dry-run")
        return [line[2:] for line in out.splitlines() if line.startswith("# ")]

    def checkpoints(self, run):
        return {k: v for k, v in tree(self.folder / run).items() if k.endswith(".h5") and "step_" in k}

    def test_arms_are_multiplied_chosen_and_changed(self):
        every = [f"{arm},seed={seed}" for arm in ("rope", "alibi-a", "alibi-b") for seed in (0, 1)]
        self.assertEqual(self.names(), every)
        self.assertEqual(self.names("vary.arm=[alibi-b]", "vary.train.seed=[1]"), ["alibi-b,seed=1"])
        self.refuses(2, "run", "x.yaml", "vary.arm=[yarn]", "--out", "o", says=["rope, alibi-a, alibi-b", "'yarn'"])
        self.refuses(2, "card", "x.yaml", "arm=rope", says=["--arms NAME"])
        self.refuses(2, "run", "x.yaml", "encoding.kind=fire", "--out", "o",
                     says=["arm 'rope'", "vary.arm.rope.encoding.kind=fire"])
        card = strict_json(self.locus("card", "x.yaml", "vary.arm=alibi-b", "vary.train.seed=[0]", "--json")[0])
        self.assertEqual(card["options"]["slopes"], "naive")

    def test_a_long_name_is_shortened_and_kept_whole(self):
        arm = "a" * 150
        self.write("x.yaml", f"base: common/tiny.yaml\nvary: {{arm: [{{name: {arm}}}], data.test: [{'b' * 120}]}}\n")
        name = self.names("vary.data.test=[0]", f"vary.arm=[{{name: {arm + 'c' * 99}}}]")[0]
        self.assertLessEqual(len(name), 200)
        self.locus("run", "x.yaml", "vary.data.test=[0]", f"vary.arm=[{{name: {arm + 'c' * 99}}}]", "--out", "o")
        manifest = strict_json((self.folder / "o" / name / "manifest.json").read_text())
        self.assertEqual(manifest["title"], arm + "c" * 99 + ",test=0")
        for taken in "table.md", "checkpoints":
            self.refuses(2, "run", "x.yaml", f"vary={{arm: [{{name: {taken}}}]}}", "--out", "p", says=[f"'{taken}'"])

    def test_what_does_not_train_does_not_retrain(self):
        self.locus("run", "x.yaml", "--out", "o")
        before = self.checkpoints("o")
        self.assertEqual(len(before), 6)
        for change in ("table.cell=perplexity", "question=Why?", "train.keep=7", "table.contrasts=[rope - alibi-a]"):
            _, err = self.locus("run", "x.yaml", change, "--out", "o")
            self.assertEqual(err.count("done before"), 6, change)
            self.assertEqual(self.checkpoints("o"), before, change)
        self.assertIn("Why?", self.locus("run", "x.yaml", "question=Why?", "--out", "o")[0])
        self.locus("run", "x.yaml", "evaluate.lengths=[8, 16]", "--out", "o")
        self.assertEqual(self.checkpoints("o"), before)
        summary = strict_json((self.folder / "o" / "rope,seed=0" / "evaluations" / "summary.json").read_text())
        self.assertIn('"context": 8', json.dumps(summary))
        self.locus("eval", "o/rope,seed=0", "--json")
        self.refuses(5, "run", "x.yaml", "train.lr=1e-2", "--out", "o", says=["train.lr: 0.001 there, 0.01 here"])
        self.refuses(5, "run", "x.yaml", "model.width=32", "--out", "o", says=["model.width: 16 there, 32 here"])

    def test_a_run_that_stopped_goes_on_under_another_question(self):
        self.locus("train", "x.yaml", "vary={}", "encoding.kind=rope", "--out", "r")
        before = self.checkpoints("r")
        self.locus("train", "x.yaml", "vary={}", "encoding.kind=rope", "question=Other", "evaluate.targets=8", "--out", "r")
        self.assertEqual(self.checkpoints("r"), before)
        self.assertIn("Other", (self.folder / "r" / "recipe.yaml").read_text())
        self.refuses(5, "train", "x.yaml", "vary={}", "encoding.kind=alibi", "--out", "r", says=["encoding.kind: rope there"])

    def test_what_can_give_no_number_is_not_trained(self):
        out = ["--out", "o"]
        self.refuses(3, "run", "x.yaml", "evaluate.lengths=[4096]", *out, says=["no cell can give a number", "4096"])
        self.refuses(3, "run", "x.yaml", "data.valid=0", *out, says=["no cell can give a number", "valid"])
        _, err = self.locus("run", "x.yaml", "vary.arm=[rope]", "evaluate.protocols=[same_target, non_overlapping]",
                            "evaluate.lengths=[16, 4096]", "vary.train.seed=[0]", *out)
        self.assertIn("will have no number", err.splitlines()[0])
        self.assertIn("4096", err.splitlines()[0])

    def test_paths_begin_at_the_recipe(self):
        self.write("there/text.txt", "It is a truth universally acknowledged. " * 200)
        self.write("there/r.yaml", TINY.replace("corpus: generated, documents: 12, document_length: 600",
                                                "corpus: text.txt, valid: 0.2"))
        self.locus("train", "there/r.yaml", "--out", "run")
        self.assertIn("corpus: text.txt", (self.folder / "run" / "recipe.yaml").read_text())
        self.locus("eval", "run", "--json")
        self.refuses(3, "train", "there/r.yaml", "data.corpus=text.txt", "--out", "other", says=["text.txt"])
        self.locus("train", "there/r.yaml", "data.corpus=there/text.txt", "--out", "other")
        self.write("there/child.yaml", TINY.split("\n", 1)[1] + "data: { corpus: text.txt, valid: 0.2 }\nfrom: { run: ../run }\n")
        self.locus("train", "there/child.yaml", "--out", "child")
        self.refuses(5, "train", "there/child.yaml", "from.run=../run", "--out", "c2", says=["../run"])

    def test_keys_are_listed(self):
        keys = strict_json(self.locus("list", "keys", "--json")[0])
        by = {entry["key"]: entry for entry in keys}
        self.assertEqual(by["train.lr"], {"key": "train.lr", "type": "number", "bounds": "> 0", "default": "0.001",
                                          "doc": "greatest learning rate", "kinds": []})
        self.assertEqual(by["train.steps"]["instead_of"], "train.tokens")
        self.assertIn("rope", by["encoding.fraction"]["kinds"])
        self.assertTrue({"base", "question", "vary.zip", "encoding.scaling.factor"} <= set(by))
        self.assertTrue(all(entry["doc"] and entry["type"] for entry in keys))
        train = self.locus("list", "keys", "train")[0]
        self.assertIn("train.lr: number, > 0; default 0.001\n    greatest learning rate\n", train)
        self.assertNotIn("model.", train)
        self.refuses(2, "list", "keys", "trian", says=["'trian'", "train"])

    def test_shipped_recipes_say_each_thing_once(self):
        full = ROOT / "recipes" / "extension" / "full.yaml"
        self.assertLessEqual(len(full.read_text().splitlines()), 37)
        cells = [line for line in self.locus("run", full, "--dry-run")[0].splitlines() if line.startswith("# ")]
        self.assertEqual(len(cells), 57 * 6)
        listed = self.locus("list", "recipes")[0]
        self.assertIn("recipes/extension/full.yaml", listed)
        self.assertNotIn("common", listed)

    def test_bytes_that_are_no_text(self):
        self.write("bad.yaml", ARMS.encode() + "# café\n".encode("latin-1"))
        self.refuses(2, "run", "bad.yaml", "--out", "o", says=["bad.yaml:11: ", "0xe9"])
        self.refuses(2, "run", "x.yaml", "question=\x1b[31mred", "--out", "o", says=["command line", "0x1b"])


if __name__ == "__main__":
    unittest.main()
