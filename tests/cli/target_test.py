"""LOCUS_TARGET limits the kernels to an instruction set: named in `version` and manifest.json, or refused."""

import unittest

from support import CommandCase, strict_json


class Target(CommandCase):
    def target(self, limit):
        environment = {"LOCUS_TARGET": limit}
        return strict_json(self.locus("version", "--json", environment=environment)[0])["target"]

    def test_names_that_it_knows_not_are_refused_with_those_that_it_knows(self):
        best = self.target("")
        for limit in "avx9", "AVX2", "scalar ", "-1":
            for words in ["version"], ["train", "r.yaml", "--out", "run"], ["list", "encodings"]:
                environment = {"LOCUS_TARGET": limit}
                self.refuses(2, *words, environment=environment, says=["LOCUS_TARGET", f"'{limit}'", best])

    def test_a_limit_is_in_force_and_written_down(self):
        best = self.target("")
        message = self.refuses(2, "version", environment={"LOCUS_TARGET": "none"})
        built = message.split("built for, ")[1].split(";")[0].split(", ")
        self.assertIn(best, built)
        usable = built[built.index(best) :]
        for limit in usable:
            self.assertEqual(self.target(limit), limit)
            self.assertIn(f"target: {limit}\n", self.locus("version", environment={"LOCUS_TARGET": limit})[0])
            self.train(limit, environment={"LOCUS_TARGET": limit})
            manifest = strict_json((self.folder / limit / "manifest.json").read_text())
            self.assertEqual(manifest["machine"]["target"], limit)
        losses = [self.records(limit)[-1]["loss"] for limit in usable]
        for loss in losses:
            self.assertAlmostEqual(loss, losses[0], delta=1e-4)
        for limit in built[: built.index(best)]:  # of the program, but not of this processor
            self.refuses(2, "version", environment={"LOCUS_TARGET": limit}, says=["lacks", limit])


if __name__ == "__main__":
    unittest.main()
