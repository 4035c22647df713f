"""`locus search`: the same on any number of threads and after an interruption, never worse, a usable fragment."""

import unittest

from support import CommandCase, strict_json

BASE = """question: Which factors carry it further?
data: { corpus: generated, documents: 20, document_length: 900, valid: 0.2, test: 0.2 }
model: { layers: 1, width: 32, heads: 2 }
encoding: { kind: rope, base: 500 }
train: { length: 16, steps: 40, batch_tokens: 512, shards: 4, lr: 3e-3 }
evaluate: { lengths: [16, 32], protocols: [same_target], targets: 64 }
"""

SEARCH = """question: Which factors carry it further?
data: { corpus: generated, documents: 20, document_length: 900, valid: 0.2, test: 0.2 }
from: { run: base }
train: { steps: 0 }
search: { factor: 2, population: 12, parents: 6, mutations: 4, crossovers: 4, iterations: 5, windows: 8, test_windows: 16 }
"""


class SearchTest(CommandCase):
    def setUp(self):
        super().setUp()
        self.write("base.yaml", BASE)
        self.write("search.yaml", SEARCH)
        self.train("base", recipe="base.yaml")

    def search(self, out, *words, **options):
        return strict_json(self.locus("search", "search.yaml", *words, "--out", out, "--json", **options)[0])

    def test_one_result(self):
        one = self.search("one", "--threads", "1")
        two = self.search("two", "--threads", "3")
        self.assertEqual(one, two)
        self.search("parts", "search.iterations=2")
        self.assertEqual(self.search("parts"), one)
        for name in "search.json", "best.yaml", "progress.jsonl":
            self.assertEqual((self.folder / "one" / name).read_bytes(), (self.folder / "parts" / name).read_bytes())
        best = one["best_fitness"]
        self.assertEqual(len(best), 6)
        self.assertEqual(best, sorted(best, reverse=True))
        self.assertGreater(one["candidates"], 30)
        self.assertEqual(one["target_length"], 32)
        self.assertEqual(sorted(one["factors"]), one["factors"])
        self.assertEqual([verdict["against"] for verdict in one["verdicts"]], ["plain", "linear", "ntk", "yarn"])
        for verdict in one["verdicts"]:
            low, high = verdict["interval"]
            self.assertTrue(low <= verdict["gain"] <= high)
            self.assertAlmostEqual(verdict["nats_per_token"] - one["unseen_nats_per_token"], verdict["gain"])

    def test_all_is_inherited_and_the_step_is_the_recipes(self):
        """A search without room to move is an evaluation: of the ancestor's mask, at the step that was named."""
        self.train("masked", "mask={window: 4}", "train.checkpoint_every=20", recipe="base.yaml")
        still = ["search.iterations=1", "search.population=2", "search.parents=1", "search.mutations=1",
                 "search.crossovers=0"]
        of = lambda out, start: self.search(out, f"from={start}", *still)["unseen_nats_per_token"]
        whole = of("masked_search", "{run: masked}")
        self.assertIn("  window: 4\n", (self.folder / "masked_search" / "recipe.yaml").read_text())
        self.assertNotEqual(whole, of("plain_search", "{run: base}"))
        self.assertNotEqual(whole, of("early_search", "{run: masked, step: 20}"))
        self.assertEqual(of("late_search", "{run: masked, step: 40}"), whole)
        self.refuses(2, "search", "search.yaml", "encoding={kind: xpos}", "--out", "x", says=["rope", "xpos"])

    def test_the_fragment_is_a_recipe(self):
        found = self.search("found")
        fragment = (self.folder / "found" / "best.yaml").read_text()
        self.assertEqual(fragment, found["fragment"])
        self.write("longrope.yaml", SEARCH.split("search:")[0] + fragment + "evaluate: { lengths: [16, 32] }\n")
        self.train("longrope", recipe="longrope.yaml")
        card = strict_json(self.locus("card", "longrope", "--length", "32", "--json")[0])
        self.assertEqual(card["options"]["scaling.long_factor"], found["factors"])
        plain = strict_json(self.locus("card", "base", "--json")[0])["inv_freq"]
        for theta, factor, inverse in zip(plain, found["factors"], card["inv_freq"]):
            self.assertEqual(theta / factor, inverse)
        # Recovery at the original length: the long factors stay.
        self.write("short.yaml", SEARCH.replace("run: base", "run: longrope").replace("factor: 2,", "factor: 2, list: short_factor,"))
        short = strict_json(self.locus("search", "short.yaml", "--out", "short", "--json")[0])
        self.assertEqual(short["target_length"], 16)
        self.assertIn("short_factor", short["fragment"])
        self.assertIn("long_factor: " + str(found["factors"]).replace(".0,", ",").replace(".0]", "]"), short["fragment"])

    def test_step_by_step(self):
        """To twice the length, fine-tuning there, and from that model on to four times the first length."""
        near = self.search("near")
        head = SEARCH.split("from:")[0]
        self.write("tuned.yaml", head + "from: { run: base }\ntrain: { length: 32, steps: 4, batch_tokens: 512 }\n"
                   + "evaluate: { lengths: [16, 32, 64] }\n" + near["fragment"])
        self.train("tuned", recipe="tuned.yaml")
        self.write("far.yaml", SEARCH.replace("run: base", "run: tuned").replace("factor: 2,", "factor: 4,"))
        far = strict_json(self.locus("search", "far.yaml", "--out", "far", "--json")[0])
        self.assertEqual((near["target_length"], far["target_length"]), (32, 64))  # the original length is still 16
        self.assertEqual(far["best_fitness"], sorted(far["best_fitness"], reverse=True))
        self.assertIn("original_length: 16", far["fragment"])
        self.assertIn("factor: 4", far["fragment"])
        self.write("longer.yaml", head + "from: { run: tuned }\ntrain: { steps: 0 }\n"
                   + "evaluate: { lengths: [16, 64] }\n" + far["fragment"])
        self.train("longer", recipe="longer.yaml")
        card = strict_json(self.locus("card", "longer", "--length", "64", "--json")[0])
        self.assertEqual(card["options"]["scaling.original_length"], 16)
        self.assertEqual(card["options"]["scaling.long_factor"], far["factors"])

    def test_refusals(self):
        self.refuses(2, "search", "base.yaml", "--out", "x", says=["from.run"])
        self.refuses(2, "search", "search.yaml", "encoding.kind=alibi", "--out", "x", says=["alibi"])
        self.refuses(5, "search", "search.yaml", "from={run: nowhere}", "--out", "x", says=["nowhere"])
        self.refuses(3, "search", "search.yaml", "search.factor=100", "--out", "x", says=["1601"])
        self.refuses(2, "search", "search.yaml", "search.factor=1", "--out", "x", says=["search.factor"])
        self.refuses(2, "search", "search.yaml", "search.list=short_factor", "--out", "x", says=["longrope"])
        self.search("one", "search.iterations=1")
        self.refuses(5, "search", "search.yaml", "train.seed=1", "--out", "one", says=["another search"])


if __name__ == "__main__":
    unittest.main()
