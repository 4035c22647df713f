"""locus verify: every encoding passes, with figures; what cannot be run is refused."""

import unittest

from support import ROOT, CommandCase, strict_json


class Verify(CommandCase):
    def document(self, *words, code=0):
        return strict_json(self.locus("verify", *words, "--json", code=code)[0])

    def holds(self, found, *, masks=("the recipe's mask", "window", "window and global tokens")):
        self.assertTrue(found["passed"])
        for check in found["checks"]:
            self.assertLessEqual({"name", "difference", "limit", "passed"}, set(check))
            self.assertTrue(check["passed"], check)
            if check["bound"] == "at most":
                self.assertLessEqual(check["difference"], check["limit"], check)
                self.assertLessEqual(check["limit"], 1e-5)
            else:
                self.assertGreater(check["difference"], check["limit"], check)
        names = [check["name"] for check in found["checks"]]
        self.assertEqual(len(names), len(set(names)))
        text = "\n".join(names)
        for mask in masks:
            for mode in "fixed:24", "growing":
                for way in "in chunks", "token by token":
                    self.assertIn(f"one pass = {way}, {mask}, {mode}", text)
                self.assertIn(f"alone = left-padded, {mask}, {mode}", text)
            self.assertIn(f"alone = packed behind another text, {mask}", text)
            self.assertIn(f"tiled = composed attention, {mask}: gradient", text)
        return names

    def test_every_encoding(self):
        for kind in "nope", "sinusoidal", "rope", "alibi", "t5":
            found = self.document("r.yaml", f"encoding={{kind: {kind}}}", "model.layers=2")
            names = self.holds(found)
            self.assertEqual(any("100000" in name for name in names), kind == "rope")
            (subject,) = found["subjects"]
            self.assertEqual((subject["encoding"], subject["parameters"]), (kind, "drawn"))
            self.assertGreater(subject["logit_deviation"], 1)
            self.assertEqual(subject["encoding_effect"] > 1e-2, kind != "nope")

    def test_without_a_causal_mask(self):
        """Nothing leaks where nothing is trained on the next token: shown and verified, but not trained."""
        for kind in "sinusoidal", "rope", "alibi", "t5":
            change = ["mask.causal=false", f"encoding={{kind: {kind}}}"]
            found = self.document("r.yaml", *change)
            self.assertTrue(found["passed"])
            self.assertFalse([check for check in found["checks"] if "token by token" in check["name"]])  # no cache
            self.assertIn("all tokens see each other", self.locus("card", "r.yaml", *change)[0])
        for words in ["train"], ["run"], ["train", "--dry-run"]:
            message = self.refuses(2, *words, "r.yaml", "mask.causal=false", "--out", "leaks")
            self.assertIn("mask.causal: false lets the next-token loss see its target; expected true", message)
        self.assertFalse((self.folder / "leaks").exists())

    def test_identities_on_paper(self):
        found = self.document(str(ROOT / "recipes/analytic/identities.yaml"))
        self.assertTrue(found["passed"])
        orders = {check["name"]: check for check in found["checks"] if "dog chases cat" in check["name"]}
        self.assertEqual(len(orders), 8)
        same = [name for name, check in orders.items() if check["bound"] == "at most"]
        self.assertEqual(len(same), 1)
        self.assertIn("nope", same[0])
        self.assertIn("without a mask", same[0])
        self.assertLess(orders[same[0]]["difference"], 1e-5)
        for name in orders:
            self.assertTrue(name == same[0] or orders[name]["difference"] > 0.1, name)
        (shift,) = [check for check in found["checks"] if "one matrix per shift" in check["name"]]
        self.assertLess(shift["difference"], 1e-12)
        resumed = [check for check in found["checks"] if "saved and resumed" in check["name"]]
        self.assertEqual([check["difference"] for check in resumed], [0] * 4)

    def test_a_table_is_not_crossed(self):
        found = self.document("r.yaml", "encoding={kind: learned}", "model.layers=2")
        self.assertTrue(found["passed"])
        self.assertTrue(any("fixed:16" in check["name"] for check in found["checks"]))
        wider = self.document("r.yaml", "encoding={kind: learned, max_length: 64}", "model.layers=2")
        self.holds(wider)

    def test_models_of_other_shapes(self):
        rich = ["model.norm=rms", "model.activation=swiglu", "model.bias=true", "model.heads=4", "model.kv_heads=2"]
        self.holds(self.document("r.yaml", *rich, "model.width=32", "model.tie_embeddings=false", "model.layers=3"))
        windowed = self.document("r.yaml", "mask.window=5", "mask.global=1", "model.layers=2")
        self.holds(windowed, masks=["the recipe's mask", "causal", "window", "window and global tokens"])

    def test_a_run_is_verified_with_its_weights_and_with_drawn_ones(self):
        self.train("run")
        found = self.document("run", "--threads", "3")
        self.assertTrue(found["passed"])
        self.assertEqual([s["parameters"] for s in found["subjects"]], ["trained", "drawn"])
        self.assertTrue(any("on 3 threads" in check["name"] for check in found["checks"]))

    def test_cells_that_differ_in_their_seed_only_are_one(self):
        found = self.document("r.yaml", "vary={train.seed: [0, 1], encoding.base: [100, 1000]}")
        self.assertEqual(len(found["subjects"]), 2)
        self.assertTrue(all("base=100" in check["name"] for check in found["checks"]))

    def test_text(self):
        out, err = self.locus("verify", "r.yaml")
        self.assertEqual(err, "")
        self.assertIn("ok      one pass = token by token", out)
        self.assertIn("logits of standard deviation", out)

    def test_a_check_that_fails_is_exit_1(self):
        """Where a token sees itself only, a bias of distances does nothing, and no check of it proves anything."""
        words = ["r.yaml", "encoding={kind: alibi}", "mask.window=1"]
        found = self.document(*words, code=1)
        self.assertFalse(found["passed"])
        failed = [check for check in found["checks"] if not check["passed"]]
        self.assertEqual([check["name"] for check in failed], ["change of the logits without the encoding"])
        self.assertEqual(failed[0]["difference"], 0)
        out, _ = self.locus("verify", *words, code=1)
        self.assertIn("FAILED  change of the logits without the encoding", out)

    def test_refusals(self):
        self.refuses(2, "verify", says="found 0")
        self.refuses(2, "verify", "nothing", says="nothing")
        self.refuses(2, "verify", "r.yaml", "train.lrr=1", says="lrr")
        self.write("empty/.keep", "")
        self.refuses(5, "verify", "empty", says="empty")
        self.train("run")
        self.refuses(2, "verify", "run", "train.lr=1", says="train.lr=1")


if __name__ == "__main__":
    unittest.main()
