"""Tables as a reader meets them: what is missing says why, what was changed is refused, every format loads."""

import csv
import io
import json
import shutil
import subprocess
import unittest

from support import CommandCase, strict_json

FAILING = (
    "vary={arm: [{name: base, train.lr: 1e30}, {name: child, from.arm: base, train.steps: 0}, {name: calm}]}"
)
CONTRASTS = "table.contrasts=[b - a]"
ARMS = "vary={arm: [{name: a}, {name: b, encoding.kind: alibi}], train.seed: [0, 1]}"


class Tables(CommandCase):
    def test_an_arm_whose_beginning_failed_is_there_with_the_reason(self):
        out, err = self.locus("run", "r.yaml", FAILING, "--out", "all", code=1)
        self.assertRegex(out, r"\| child +\| +failed \|")
        self.assertRegex(out, r"child[^\n]*no number[^\n]*begins with base, which failed")
        self.assertRegex(out, r"\| calm +\| +\**\d")
        again, _ = self.locus("run", "r.yaml", FAILING, "--out", "all", code=1)
        self.assertEqual(again, out)
        self.assertEqual(self.locus("table", "all")[0], out)

    def test_cells_that_the_recipe_no_longer_has_are_named_and_left_out(self):
        self.locus("run", "r.yaml", "vary={arm: [{name: rope}, {name: old}]}", "--out", "all")
        out, _ = self.locus("run", "r.yaml", "vary={arm: [{name: rope}, {name: new}]}", "--out", "all")
        self.assertIn("| new ", out)
        self.assertNotIn("| old ", out)
        self.assertRegex(out, r"left out[^\n]*: old\n")
        self.assertEqual(self.locus("table", "all")[0], out)

    def test_a_length_without_a_whole_window_has_no_number(self):
        self.train("run")
        document = strict_json(
            self.locus("eval", "run", "--lengths", "16,599,600,99999999999", "--protocol",
                       "non_overlapping,sliding", "--json")[0])
        for run in document["runs"]:
            self.assertEqual([row["state"] for row in run["results"]], ["ok", "ok", "too_short", "too_short"])
            self.assertEqual([row["full_windows"] for row in run["results"]][1:], [1, 0, 0])
            for row in run["results"][2:]:
                self.assertIsNone(row["nats_per_token"])
                self.assertIn("the longest window of split valid has 599", row["reason"])

    def test_changed_numbers_are_refused(self):
        self.locus("run", "r.yaml", "--out", "all")
        out, err = self.locus("table", "all", "--verify", "--strict")
        self.assertIn("all as the results of their items say", err)
        path = self.folder / "all" / "r" / "evaluations" / "summary.json"
        sound = path.read_text()
        for change in ("bits_per_byte", "nats_per_token", "perplexity", "tokens"):
            summary = json.loads(sound)
            summary["runs"][0]["results"][0][change] += 1
            path.write_text(json.dumps(summary))
            self.refuses(5, "table", "all", says="summary.json")
            out, err = self.locus("table", "all", "--verify", code=1)
            self.assertEqual(out, "")
            self.assertIn("non_overlapping", err)
            self.assertNotIn("unexpected", err)
        path.write_text(sound)
        (path.parent / "same_target.h5").unlink()
        self.locus("table", "all")
        self.assertIn("same_target.h5", self.locus("table", "all", "--verify", code=1)[1])

    def test_strict_is_a_verdict_of_fairness(self):
        self.locus("run", "r.yaml", ARMS, "--out", "all")
        fair, _ = self.locus("table", "all", "--strict")
        manifest = self.folder / "all" / "b,seed=0" / "manifest.json"
        manifest.write_text(manifest.read_text().replace('"data_order_hash": "', '"data_order_hash": "0'))
        out, err = self.locus("table", "all", "--strict", code=1)
        self.assertTrue(out.startswith("WARNING"))
        self.assertIn("data order", err)
        self.assertEqual(self.locus("table", "all")[0], out)

    def test_csv_is_one_rectangle_with_the_contrasts(self):
        self.locus("run", "r.yaml", ARMS, CONTRASTS, "--out", "all")
        text = (self.folder / "all" / "table.csv").read_text()
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual({len(row) for row in csv.reader(io.StringIO(text))}, {len(rows[0])})
        contrasts = [row for row in rows if row["contrast"]]
        self.assertEqual(len(contrasts), 4)
        self.assertEqual({row["n"] for row in contrasts}, {"2"})
        self.assertEqual({row["arm"] for row in contrasts}, {""})
        try:
            import pandas
        except ImportError:
            return
        frame = pandas.read_csv(io.StringIO(text))
        self.assertEqual(len(frame), len(rows))
        self.assertEqual(str(frame["bits_per_byte"].dtype), "float64")

    def test_tex_compiles_within_its_page(self):
        latex = shutil.which("pdflatex")
        if latex is None:
            self.skipTest("not run: there is no pdflatex")
        arms = "vary={arm: [{name: a_very_long_name_of_an_arm-with-everything.that_names+may=have}, {name: b}], "
        self.locus("run", "r.yaml", arms.replace("may=have", "may") + "train.seed: [0, 1]}",
                   "table.contrasts=[b - a_very_long_name_of_an_arm-with-everything.that_names+may]",
                   "evaluate.lengths=[4, 8, 16, 32, 64, 128, 256]", "question=Is 100 % of $5 | [x] <y> \\a_b^c ~ é “q”?",
                   "--out", "all")
        self.write("all/paper.tex", "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n"
                   "\\input{table.tex}\n\\end{document}\n")
        result = subprocess.run([latex, "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
                                cwd=self.folder / "all", capture_output=True, check=False)
        log = result.stdout.decode(errors="replace")
        self.assertEqual(result.returncode, 0, log)
        self.assertNotIn("Overfull \\hbox", log)

    def test_protocols_and_metrics_are_listed(self):
        for what, known in (("protocols", "same_target"), ("metrics", "bits_per_byte")):
            names = [entry["name"] for entry in strict_json(self.locus("list", what, "--json")[0])]
            self.assertIn(known, names)
            self.assertEqual(len(self.locus("list", what)[0].splitlines()), len(names))


if __name__ == "__main__":
    unittest.main()
