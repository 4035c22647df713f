"""Experiments: done cells stay, failed ones are marked, tables come from the folders alone."""

import csv
import io
import shutil
import time
import unittest

from support import CommandCase, strict_json

VARY = (
    "vary={arm: [{name: rope, encoding: {kind: rope}}, {name: t5, encoding: {kind: t5}}], train.seed: [0, 1]}"
)
FAILING = "vary={arm: [{name: wild, train.lr: 1e30}, {name: calm, train.lr: 1e-3}]}"


class Experiments(CommandCase):
    def manifest(self, run):
        return strict_json((self.folder / run / "manifest.json").read_text())

    def test_cells_are_done_once(self):
        first, err = self.locus("run", "r.yaml", VARY, "--out", "all")
        cells = sorted(path.name for path in (self.folder / "all").iterdir() if path.is_dir())
        self.assertEqual(cells, ["rope,seed=0", "rope,seed=1", "t5,seed=0", "t5,seed=1"])
        times = {cell: (self.folder / "all" / cell / "manifest.json").stat().st_mtime_ns for cell in cells}
        again, err = self.locus("run", "r.yaml", VARY, "--out", "all")
        self.assertEqual(err.count("done before"), 4)
        self.assertEqual(again, first)
        for cell in cells:
            self.assertEqual(self.manifest(f"all/{cell}")["state"], "done")
            self.assertEqual((self.folder / "all" / cell / "manifest.json").stat().st_mtime_ns, times[cell])

    def test_a_stopped_experiment_goes_on(self):
        words = ["run", "r.yaml", VARY, "train.steps=800", "train.checkpoint_every=100"]
        straight, _ = self.locus(*words, "--out", "straight")
        for name, code in ("terminate", 75), ("kill", -9):
            process = self.start(*words, "--out", name)
            deadline = time.monotonic() + 30
            while (
                not (self.folder / name / "rope,seed=1" / "metrics.jsonl").exists()
                and time.monotonic() < deadline
            ):
                time.sleep(0.002)
            getattr(process, name)()
            out, err = process.communicate(timeout=60)
            self.assertEqual((process.returncode, out), (code, b""), err)
            self.assertEqual(self.manifest(f"{name}/rope,seed=0")["state"], "done")
            self.assertFalse((self.folder / name / "t5,seed=1").exists())
            out, err = self.locus(*words, "--out", name)
            self.assertEqual(err.count("done before"), 1)
            self.assertEqual(out, straight)

    def test_chosen_arms(self):
        self.locus("run", "r.yaml", VARY, "--arms", "t5", "--out", "all")
        self.assertEqual(sorted(path.name for path in (self.folder / "all").iterdir() if path.is_dir()), ["t5,seed=0", "t5,seed=1"])
        self.locus("run", "r.yaml", VARY, "--arms", "rope,t5", "--out", "all")
        self.assertTrue((self.folder / "all" / "rope,seed=1").is_dir())
        self.assertEqual(strict_json(self.locus("card", "r.yaml", VARY, "vary.train.seed=[0]", "--arms", "t5", "--json")[0])["kind"], "t5")
        self.train("one", VARY, "vary.train.seed=[1]", "--arms", "rope")
        self.refuses(2, "run", "r.yaml", VARY, "--arms", "alibi", "--out", "none", says=["rope, t5", "alibi"])
        self.refuses(2, "verify", "r.yaml", VARY, "--arms", "alibi", says=["rope, t5", "alibi"])
        self.refuses(2, "search", "r.yaml", VARY, "--arms", "alibi", "--out", "none", says=["rope, t5", "alibi"])

    def test_how_one_cell_is_chosen(self):
        for words in ["card"], ["train", "--out", "x"], ["search", "--out", "x"]:
            command = [words[0], "r.yaml", VARY, *words[1:]]
            self.refuses(2, *command, says=["4 cells", "--arms rope vary.train.seed=[0] chooses one"])
            said = self.refuses(2, *command, "--arms", "t5", says=["2 cells", " vary.train.seed=[0] chooses one"])
            self.assertNotIn("--arms", said)
            self.refuses(2, *command, "arm=rope", says="--arms NAME chooses one")
        self.assertEqual(strict_json(self.locus("card", "r.yaml", VARY, "--arms", "t5", "vary.train.seed=[1]", "--json")[0])["kind"], "t5")

    def test_a_table_of_chosen_arms(self):
        whole, _ = self.locus("run", "r.yaml", VARY, "--out", "all")
        kept = (self.folder / "all" / "table.md").read_bytes()
        part = strict_json(self.locus("table", "all", "--arms", "t5", "--format", "json")[0])
        self.assertEqual([row["label"] if isinstance(row, dict) else row for row in part["rows"]], ["t5"])
        self.assertTrue([note for note in part["notes"] if note.endswith("asked for: rope")], part["notes"])
        for arms in "rope,t5", "t5,rope":
            self.assertEqual(self.locus("table", "all", "--arms", arms)[0], whole)
        self.assertEqual((self.folder / "all" / "table.md").read_bytes(), kept)
        for arms in "alibi", "rope,", "":
            self.refuses(2, "table", "all", "--arms", arms, says=["--arms", "rope, t5"])
        self.train("alone")
        self.refuses(2, "table", "alone", "--arms", "rope", says=["--arms", "runs that have arms"])

    def test_a_manifest_that_is_none(self):
        self.locus("run", "r.yaml", "--out", "all")
        path = self.folder / "all" / "r" / "manifest.json"
        for content in "x", "", "[]", "3":
            path.write_text(content)
            self.refuses(5, "run", "r.yaml", "--out", "all", says="all/r/manifest.json")
            self.refuses(5, "train", "r.yaml", "--out", "all/r", says="all/r/manifest.json")
            self.refuses(5, "table", "all", says="all/r/manifest.json")
        path.write_text('{"state": 5, "resumed_from": "here"}')
        self.locus("run", "r.yaml", "--out", "all")
        self.assertEqual(self.manifest("all/r")["state"], "done")
        self.assertEqual(self.manifest("all/r")["resumed_from"], [8])

    def test_a_failing_cell(self):
        out, err = self.locus("run", "r.yaml", FAILING, "--out", "all", code=1)
        self.assertIn("failed: wild: step", err)
        self.assertEqual(self.manifest("all/wild")["state"], "failed")
        self.assertEqual(self.manifest("all/calm")["state"], "done")
        cells = strict_json((self.folder / "all" / "table.json").read_text())["cells"]
        self.assertTrue(all(cell["mean"] is None for cell in cells if cell["row"] == "wild"))
        self.assertEqual(sum(cell["mean"] is not None for cell in cells if cell["row"] == "calm"), 4)
        marked = next(line for line in out.splitlines() if line.startswith("| wild"))
        self.assertNotRegex(marked, r"\d")
        self.assertRegex(out, r"wild[^\n]*(failed|step 2)")
        self.locus("run", "r.yaml", FAILING, "--out", "all", code=1)  # again, and it still says so
        _, err = self.locus("train", "r.yaml", "train.lr=1e30", "--out", "alone", code=4)
        self.assertRegex(err, r"locus: step \d+: [^\n]*learning rate[^\n]*\n\Z")
        self.assertEqual(self.manifest("alone")["state"], "diverged")

    def test_beyond_the_table(self):
        out, err = self.locus(
            "run",
            "r.yaml",
            "vary={arm: [{name: learned, encoding: {kind: learned}}, {name: rope, encoding: {kind: rope}}]}",
            "--out",
            "all",
        )
        row = next(line for line in out.splitlines() if line.startswith("| learned"))
        self.assertIn("—", row)
        self.assertRegex(out, r"learned[^\n]*table")
        for run in strict_json(self.locus("eval", "all/learned", "--json")[0])["runs"]:
            beyond = run["results"][1]
            self.assertEqual(beyond["state"], "beyond_table")
            for number in "nats_per_token", "bits_per_byte", "perplexity", "interval":
                self.assertIsNone(beyond[number])
            self.assertEqual(run["results"][0]["state"], "ok")

    def test_tables_of_a_folder_that_moved(self):
        first, _ = self.locus("run", "r.yaml", VARY, "--out", "all")
        shutil.move(self.folder / "all", self.folder / "elsewhere")
        out, err = self.locus("table", "elsewhere")
        self.assertEqual((out, err), (first, ""))
        for name in "md", "csv", "tex", "json":
            out, _ = self.locus("table", "elsewhere", "--format", name)
            self.assertEqual(out, (self.folder / "elsewhere" / f"table.{name}").read_text())
        table = strict_json(out)
        self.assertLessEqual({"question", "unit", "rows", "columns", "notes", "cells"}, set(table))
        self.assertEqual(len(table["cells"]), 2 * 4)
        for cell in table["cells"]:
            self.assertLessEqual(
                {"row", "column", "mean", "interval", "interval_method", "values", "runs", "state"}, set(cell)
            )
            self.assertEqual(len(cell["values"]), 2)
            self.assertAlmostEqual(cell["mean"], sum(cell["values"]) / 2)
        rows = list(csv.reader(io.StringIO((self.folder / "elsewhere" / "table.csv").read_text())))
        widths = {len(row) for row in rows if row and not row[0].startswith("#")}
        self.assertEqual(len(widths), 1)
        tex = (self.folder / "elsewhere" / "table.tex").read_text()
        self.assertIn("\\begin{tabular}", tex)
        self.assertIn("\\end{tabular}", tex)

    def test_folders_of_different_experiments(self):
        self.train("both/a")
        self.train("both/b", "question=Another?")
        self.refuses(5, "table", "both", says="different experiments")


if __name__ == "__main__":
    unittest.main()
