"""Runs that begin with another run: what travels with it, what is refused, and that one can be resumed."""

import unittest

from support import CommandCase, strict_json

BASE = """question: Can it be extended?
data: { corpus: generated, documents: 12, document_length: 2600 }
model: { layers: 2, width: 16, heads: 2 }
encoding: { kind: rope, base: 500 }
train: { length: 16, steps: 6, batch_tokens: 128, shards: 4, checkpoint_every: 2 }
evaluate: { lengths: [16, 32, 64], protocols: [same_target], targets: 64 }
"""

YARN = BASE.replace("steps: 6", "steps: 3") + (
    "encoding.scaling: { rope_type: yarn, factor: 4, target_length: 64 }\n"
    "from: { run: base }\n"
)

# Nothing about model, encoding or tokenizer: all of it is the ancestor's.
BARE = """question: Does it forget?
data: { corpus: generated, documents: 12, document_length: 2600 }
train: { length: 64, steps: 2, batch_tokens: 128, shards: 4 }
evaluate: { lengths: [16, 32, 64], protocols: [same_target], targets: 64 }
from: { run: yarn }
"""

# What decides the function of a model, each away from its default, trained short.
MASKED = """question: What stays?
data: { corpus: generated, documents: 12, document_length: 2600 }
model: { layers: 2, width: 16, heads: 2, norm: rms }
encoding: { kind: fire, mlp_width: 8 }
mask: { window: 6, global: 2, dilation: 2, global_projections: true }
train: { length: 16, steps: 6, batch_tokens: 128, shards: 4, lr: 3e-3 }
evaluate: { lengths: [16, 32, 64], protocols: [non_overlapping] }
"""

ARMS = BASE + """vary:
  arm:
    - { name: base }
    - { name: zero, from.arm: base, train.steps: 0 }
    - { name: yarn, from.arm: base, train.steps: 2, train.length: 64, encoding.scaling: { type: yarn, factor: 4 } }
    - { name: again, from.arm: yarn, train.steps: 1, encoding.scaling: { type: yarn, factor: 8 } }
    - { name: dropped, from.arm: base, train.steps: 1, encoding: { kind: nope } }
  train.seed: [0, 1]
"""


class FromTest(CommandCase):
    def setUp(self):
        super().setUp()
        self.write("base.yaml", BASE)
        self.write("yarn.yaml", YARN)
        self.write("bare.yaml", BARE)

    def test_a_stage_beyond_what_its_factor_reaches(self):
        self.train("base", recipe="base.yaml")
        scaling = "encoding.scaling={type: linear, factor: 2}"
        length = ["from={run: base}", "train.batch_tokens=256", "train.steps=1"]
        _, err = self.locus("train", "r.yaml", "model={layers: 2, width: 16, heads: 2}", *length, scaling, "train.length=32", "--out", "two")
        self.assertNotIn("reaches", err)
        _, err = self.locus("train", "r.yaml", "model={layers: 2, width: 16, heads: 2}", *length, scaling, "train.length=64", "--out", "four")
        self.assertIn("factor 2 of original_length 16 reaches 32 tokens, and train.length is 64", err)

    def test_nothing_is_needed_any_more_of_a_run_that_was_begun_with(self):
        self.train("base", recipe="base.yaml")
        grid = "vary={train.seed: [0, 1]}"
        self.train("yarn", recipe="yarn.yaml")
        self.locus("run", "yarn.yaml", grid, "--out", "all")
        self.newest_checkpoint("yarn").unlink()
        recipe = (self.folder / "yarn" / "recipe.yaml").read_text()
        (self.folder / "base").rename(self.folder / "elsewhere")
        self.train("yarn", recipe="yarn.yaml")  # goes on from the checkpoint that is left
        self.assertEqual((self.folder / "yarn" / "recipe.yaml").read_text(), recipe)
        self.train("yarn", recipe="yarn.yaml")
        self.locus("run", "yarn.yaml", grid, "--out", "all")
        self.locus("run", "yarn.yaml", grid, "table.cell=perplexity", "evaluate.lengths=[16, 32]", "--out", "all")
        self.assertIn("perplexity", (self.folder / "all" / "table.md").read_text())
        # a key that only the inherited kind has
        self.train("learned", "encoding={kind: learned}", recipe="base.yaml")
        self.write("rows.yaml", BARE.replace("run: yarn", "run: learned") + "encoding: { max_length: 16 }\n")
        short = ["train.length=16", "evaluate.lengths=[16]"]
        self.train("rows", *short, recipe="rows.yaml")
        (self.folder / "learned").rename(self.folder / "away")
        self.train("rows", *short, recipe="rows.yaml")
        # what would need it says so, as does what began elsewhere
        gone = "there is no such run folder or checkpoint"
        self.refuses(5, "train", "yarn.yaml", "--out", "new", says=gone)
        self.refuses(5, "train", "rows.yaml", *short, "--out", "new", says=gone)
        self.refuses(5, "train", "yarn.yaml", "from.step=2", "--out", "yarn", says=gone)
        self.refuses(5, "train", "yarn.yaml", "from.run=other", "--out", "yarn", says=gone)
        self.refuses(5, "run", "yarn.yaml", "vary={train.seed: [0, 1, 2]}", "--out", "all", says=gone)
        self.refuses(5, "train", "yarn.yaml", "train.lr=1", "--out", "yarn", says="train.lr")

    def manifest(self, run):
        return strict_json((self.folder / run / "manifest.json").read_text())

    def card(self, subject, *words):
        return strict_json(self.locus("card", subject, *words, "--json")[0])

    def parameters_hash(self, run):
        return strict_json(self.locus("inspect", self.newest_checkpoint(run), "--json")[0])["parameters_hash"]

    def test_scaling_travels(self):
        self.train("base", recipe="base.yaml")
        self.train("yarn", recipe="yarn.yaml")
        first = self.manifest("yarn")["from"]
        self.assertEqual(first["step"], 6)
        self.assertTrue(first["path"].endswith("base/checkpoints/step_00000006.h5"))
        self.assertEqual(first["parameters_hash"], self.parameters_hash("base"))
        self.assertEqual(first["tokens"], 6 * 128)
        self.train("bare", recipe="bare.yaml")
        yarn, bare = self.card("yarn"), self.card("bare")
        for key in "kind", "options", "inv_freq", "magnitude", "base":
            self.assertEqual(bare[key], yarn[key], key)
        self.assertEqual(bare["options"]["base"], 500)
        self.assertEqual(bare["options"]["scaling.original_length"], 16)
        self.assertNotEqual(bare["inv_freq"], self.card("base")["inv_freq"])
        self.assertEqual(self.manifest("bare")["from"]["tokens"], 9 * 128)
        # Extended again: the original length is the root's, not that of the last fine-tuning.
        self.locus(
            "train", "bare.yaml", "from={run: bare}", "encoding.scaling={type: yarn, factor: 8}", "--out", "more"
        )
        options = self.card("more")["options"]
        self.assertEqual(options["scaling.original_length"], 16)
        self.assertEqual(options["scaling.factor"], 8)
        self.assertEqual(options["base"], 500)
        # A run folder stands alone: what it began with may go.
        (self.folder / "base").rename(self.folder / "elsewhere")
        self.assertEqual(self.card("yarn"), yarn)
        self.locus("eval", "yarn", "--json")

    def test_unscaled_and_scaled_losses_differ(self):
        self.train("base", recipe="base.yaml")
        self.train("yarn", "train.steps=0", recipe="yarn.yaml")
        self.assertEqual(self.parameters_hash("yarn"), self.parameters_hash("base"))
        losses = [
            [result["nats_per_token"] for result in strict_json(self.locus("eval", run, "--json")[0])["runs"][0]["results"]]
            for run in ("base", "yarn")
        ]
        for plain, scaled in zip(*losses):
            self.assertNotEqual(plain, scaled)

    def losses(self, run):
        runs = strict_json(self.locus("eval", run, "--json")[0])["runs"]
        return [[result["nats_per_token"] for result in one["results"]] for one in runs]

    def test_no_step_taken_nothing_changed(self):
        self.write("masked.yaml", MASKED)
        self.train("masked", recipe="masked.yaml")
        evaluate = MASKED[MASKED.index("evaluate"):]
        for length in "", "train.length: 64\n":
            self.write("child.yaml", MASKED.splitlines()[1] + "\nfrom: { run: masked }\ntrain.steps: 0\n"
                       "train.batch_tokens: 128\nmask: { window: 6 }\n" + length + evaluate)
            out = "child" + length[-3:-1]
            self.train(out, recipe="child.yaml")
            self.assertEqual(self.parameters_hash(out), self.parameters_hash("masked"))
            self.assertEqual(self.losses(out), self.losses("masked"))
            self.assertEqual(self.manifest(out)["train_length"], 16)
            self.assertEqual(self.card(out)["train_length"], 16)

    def test_the_root_is_one_times(self):
        """What the recipe does not say is the ancestor's, train.length as well: table, lengths, gains, manifest, card."""
        self.write("base.yaml", BASE.replace("lengths: [16, 32, 64], ", ""))
        self.train("base", recipe="base.yaml")
        head = BASE.splitlines()[1] + "\nfrom: { run: base }\nencoding.scaling: { type: yarn, factor: 4 }\n"
        arms = "vary:\n  arm:\n    - { name: zero, train.steps: 0 }\n"
        evaluate = "evaluate: { protocols: [same_target], targets: 64 }\ntrain: { batch_tokens: 128, shards: 4, steps: 1 }\n"
        tuned = "    - { name: tuned, train.length: 64 }\n"
        for extra, says in ("", "trained at 16 tokens (1x)\n"), (tuned, "trained at 16 tokens (1x), fine-tuned at 64\n"):
            out = f"o{len(extra)}"
            self.write("arms.yaml", head + evaluate + arms + extra)
            table = self.locus("run", "arms.yaml", "--out", out)[0]
            for part in "16 (1x)", "32 (2x)", "64 (4x)", "128 (8x)", "loss(16) - loss(c)", says:
                self.assertIn(part, table)
            self.assertEqual(self.manifest(f"{out}/zero")["train_length"], 16)
            self.assertEqual(self.card(f"{out}/zero")["train_length"], 16)
            self.assertIn("train:\n  length: 16\n", (self.folder / out / "zero" / "recipe.yaml").read_text())
        self.assertEqual(self.manifest(f"{out}/tuned")["train_length"], 64)

    def test_what_is_said_is_kept_or_refused(self):
        self.train("table", "encoding={kind: learned}", recipe="base.yaml")
        says = ["from.run: table", "encoding.table", "16", "64"]
        for words in ["train", "--dry-run"], ["train", "--out", "x"], ["run", "--dry-run"], ["run", "--out", "x"]:
            self.refuses(5, words[0], "bare.yaml", "from={run: table}", "encoding.max_length=64", *words[1:], says=says)
        self.assertFalse((self.folder / "x" / "checkpoints").exists())
        self.train("t5", "encoding={kind: t5}", recipe="base.yaml")
        self.train("unscaled", "from={run: t5}", "encoding.logits=unscaled", recipe="bare.yaml")
        card = self.card("unscaled")
        self.assertEqual((card["kind"], card["logit_scale"]), ("t5", 1))

    def test_a_chosen_step_and_a_checkpoint(self):
        self.train("base", recipe="base.yaml")
        checkpoint = self.folder / "base" / "checkpoints" / "step_00000004.h5"
        self.train("a", "from={run: base, step: 4}", recipe="yarn.yaml")
        self.train("b", f"from={{run: {checkpoint}}}", recipe="yarn.yaml")
        self.assertEqual(self.parameters_hash("a"), self.parameters_hash("b"))
        self.assertEqual(self.manifest("a")["from"]["step"], 4)

    def test_resumed_is_uninterrupted(self):
        self.train("base", recipe="base.yaml")
        self.train("whole", recipe="yarn.yaml")
        self.train("parts", "train.checkpoint_every=1", recipe="yarn.yaml")
        self.newest_checkpoint("parts").unlink()
        (self.folder / "base").rename(self.folder / "elsewhere")
        self.write("parts.yaml", (self.folder / "parts" / "recipe.yaml").read_text())
        self.train("parts", recipe="parts.yaml")
        self.assertEqual(self.parameters_hash("parts"), self.parameters_hash("whole"))
        self.assertEqual(self.manifest("parts")["from"]["step"], 6)
        self.assertEqual(self.manifest("parts")["initial_value_hash"], self.manifest("whole")["initial_value_hash"])

    def test_refusals(self):
        self.refuses(5, "train", "yarn.yaml", "--out", "x", says=["base"])
        self.train("base", recipe="base.yaml")
        self.refuses(5, "train", "yarn.yaml", "from={run: base, step: 5}", "--out", "x", says=["step 5"])
        self.refuses(2, "train", "yarn.yaml", "from={run: base, arm: a}", "--out", "x", says=["from.arm"])
        self.refuses(2, "train", "base.yaml", "from={arm: nobody}", "--out", "x", says=["'nobody'"])
        self.refuses(5, "train", "yarn.yaml", "model.width=32", "--out", "x", says=["tokens.weight", "32"])
        # Factor, original and target length are those of the whole chain.
        self.refuses(2, "train", "bare.yaml", "from={run: base}",
                     "encoding.scaling={type: linear, factor: 4, target_length: 256}", "--out", "x",
                     says=["factor 4", "16", "64", "256"])
        self.train("table", "encoding={kind: learned}", recipe="base.yaml")
        self.refuses(2, "train", "bare.yaml", "from={run: table}", "--out", "x",
                     says=["learned", "16", "train.length 64"])
        self.refuses(2, "train", "bare.yaml", "from={run: table}", "encoding.scaling={type: linear, factor: 4}",
                     "--out", "x", says=["learned", "scaling"])

    def test_scalings_that_do_not_fit(self):
        """Refused by name, as usage errors, before anything is written."""
        bad = {
            "{kind: rope, scaling: {type: linear, factor: 0.25}}": ["factor", "1 or more", "0.25"],
            "{kind: rope, scaling: {type: dynamic, factor: 0.5}}": ["factor", "0.5"],
            "{kind: rope, scaling: {type: yarn, factor: 4, target_length: 256}}": ["factor 4", "16", "64", "256"],
            "{kind: rope, scaling: {type: yarn, factor: 4, original_length: 64, target_length: 64}}": ["4", "64", "256"],
            "{kind: rope, scaling: {type: longrope, factor: 4, long_factor: [1, 2, 4]}}":
                ["long_factor", "expected 4", "found 3"],
            "{kind: rope, scaling: {type: longrope, factor: 4, long_factor: [1, 3, 2, 4]}}":
                ["long_factor", "must not fall"],
            "{kind: rope, scaling: {type: longrope, factor: 4, long_factor: [1, 2, 3, 4], short_factor: [1, 2]}}":
                ["short_factor", "expected 4", "found 2"],
            "{kind: learned, scaling: {type: linear, factor: 4}}": ["learned", "scaling"],
            "{kind: sinusoidal, scaling: {type: ntk, factor: 4}}": ["sinusoidal", "scaling"],
            "{kind: nope, scaling: {type: yarn, factor: 4}}": ["nope", "scaling"],
            "{kind: alibi, scaling: {type: yarn, factor: 4}}": ["alibi", "'yarn'", "linear"],
        }
        for encoding, says in bad.items():
            self.refuses(2, "train", "base.yaml", f"encoding={encoding}", "--out", "x", says=says)
            self.assertFalse((self.folder / "x").exists(), encoding)

    def test_unknown_keys_of_from(self):
        self.refuses(2, "train", "base.yaml", "from={recipe: base.yaml}", "--out", "x", says=["from.recipe", "unknown key"])
        self.refuses(2, "train", "base.yaml", "from={run: base, match: [train.seed]}", "--out", "x",
                     says=["from.match", "unknown key"])
        self.write("other.yaml", BASE + "from: { recipe: base.yaml }\n")
        self.refuses(2, "train", "other.yaml", "--out", "x", says=["other.yaml:7", "from.recipe", "unknown key"])

    def test_arms_begin_with_arms(self):
        self.write("arms.yaml", ARMS)
        self.locus("run", "arms.yaml", "--out", "o")
        for seed in 0, 1:
            base = self.parameters_hash(f"o/base,seed={seed}")
            self.assertEqual(self.parameters_hash(f"o/zero,seed={seed}"), base)
            for arm in "yarn", "dropped":
                self.assertEqual(self.manifest(f"o/{arm},seed={seed}")["from"]["parameters_hash"], base)
            again = self.card(f"o/again,seed={seed}")["options"]
            self.assertEqual((again["scaling.original_length"], again["scaling.factor"]), (16, 8))
            self.assertEqual(self.card(f"o/dropped,seed={seed}")["kind"], "nope")
        table = strict_json((self.folder / "o" / "table.json").read_text())
        self.assertEqual({cell["state"] for cell in table["cells"]}, {"ok"})
        # The same command finds everything done.
        self.assertIn("done before", self.locus("run", "arms.yaml", "--out", "o")[1])
        self.write("late.yaml", ARMS.replace("{ name: base }", "{ name: first, from.arm: zero }"))
        self.refuses(2, "run", "late.yaml", "--out", "p", says=["from.arm", "'zero'", "before"])


if __name__ == "__main__":
    unittest.main()
