"""Words that the command line cannot take: the right exit code, one line, no trace."""

import unittest

from support import CommandCase, strict_json


class Usage(CommandCase):
    def test_no_command_prints_the_usage_on_stderr(self):
        out, err = self.locus(code=2)
        self.assertEqual(out, "")
        self.assertTrue(err.startswith("usage: locus COMMAND"), err)

    def test_help_goes_to_stdout(self):
        for words in (
            ["--help"],
            ["train", "--help"],
            ["eval", "-h"],
            ["data", "--help"],
            ["data", "build", "--help"],
        ):
            out, err = self.locus(*words)
            self.assertIn("locus", out)
            self.assertEqual(err, "")

    def test_unknown_words(self):
        self.refuses(2, "trian", says="'trian'")
        self.refuses(2, "train", "r.yaml", "--wat", "--out", "run", says="wat")
        self.refuses(2, "train", "r.yaml", "stray", "--out", "run", says=["found 2", "stray"])
        self.refuses(2, "train", "--out", "run", says=["RECIPE", "found 0"])
        self.refuses(2, "list", says="found 0")
        self.refuses(2, "list", "colours", says=["encodings", "'colours'"])
        self.refuses(2, "data", says="fetch, build, info or show")
        self.refuses(2, "data", "burn", says="'burn'")
        self.refuses(2, "data", "show", says="TASK")
        self.refuses(2, "data", "show", "mqr", says="'mqr' is not known; known are: addition")
        self.refuses(2, "data", "show", "mqar", "pair=3", says="unknown option 'pair'; the nearest is 'pairs'")
        self.refuses(2, "data", "show", "mqar", "pairs=0", says="pairs: expected an integer in [1, 4096], found '0'")
        self.refuses(2, "data", "show", "mqar", "vary.pairs=3", says="`vary` belongs to recipes")
        self.refuses(2, "data", "show", "needle", "form=triple", says="one of single, multi_key")
        self.refuses(2, "data", "show", "passkey", "length=32", says="an item has 35 tokens or more, not 32")
        self.refuses(2, "version", "extra", says="'extra'")

    def test_out(self):
        for command in "train", "run":
            self.refuses(2, command, "r.yaml", says="--out is missing")
            self.refuses(2, command, "r.yaml", "--out", says="out")
            self.refuses(2, command, "r.yaml", "--out", "", says="--out is empty")
            self.refuses(2, command, "r.yaml", "--out", "a", "--out", "b", says="--out is given 2 times")
        self.refuses(2, "data", "build", "r.yaml", says="--out is missing")

    def test_numbers_of_options(self):
        for threads in "0", "-1", "x", "", "1.5", "1e400", "99999999999999999999", "5000":
            for words in ["--threads", threads], [f"--threads={threads}"]:
                self.refuses(2, "train", "r.yaml", "--out", "run", *words, says="--threads")
        self.refuses(2, "train", "r.yaml", "--out", "run", "--resume", "", says="--resume")
        self.train("run")
        for lengths in "0", "-16", "abc", "16,,32", "16,", "", "16;32", "1e2":
            self.refuses(2, "eval", "run", f"--lengths={lengths}", says=["--lengths", "at least 1"])
        for positions in "-1", "x", "1,", "":
            self.refuses(2, "card", "r.yaml", f"--positions={positions}", says="--positions")
        self.refuses(2, "card", "r.yaml", "--length", "0", says="--length")

    def test_a_model_that_no_machine_holds(self):
        huge = ["model.width=65536", "model.heads=64", "model.layers=1024"]
        figures = ["parameters need about", "GiB", "weights", "are available"]
        for words in ["train", "--out", "run"], ["train", "--dry-run"], ["run", "--out", "all"], ["verify", "--json"]:
            self.refuses(2, words[0], "r.yaml", *huge, *words[1:], says=figures)
        longer = ["train.length=1e9", "train.batch_tokens=1e9"]
        self.refuses(2, "train", "r.yaml", *longer, "--out", "run", says=["activations", "GiB"])

    def test_names_of_options(self):
        self.train("run")
        self.refuses(2, "eval", "run", "--protocol", "fast", says=["'fast'", "same_target"])
        self.refuses(2, "eval", "run", "--protocol", "sliding:0", says=["stride", "'0'"])
        self.refuses(2, "eval", "run", "--protocol", "same_target:4", says="takes no argument")
        self.refuses(2, "eval", "run", "--protocol", "", says="protocol ''")
        self.refuses(2, "eval", "run", "--protocol", "sliding:64", says=["64", "16"])
        self.refuses(2, "eval", "run", "--split", "foo", says=["valid or test", "'foo'"])
        self.refuses(2, "table", "run", "--format", "xml", says=["'xml'", "csv, figures, json, md, tex"])
        self.refuses(2, "train", "r.yaml", "--out", "new", "--gemm", "abacus", says=["--gemm", "'abacus'"])

    def test_commands_without_overrides_refuse_them(self):
        self.train("run")
        self.refuses(2, "eval", "run", "train.lr=1", says="train.lr=1")
        self.refuses(2, "table", "run", "train.lr=1", says="train.lr=1")
        self.refuses(2, "inspect", "run", "train.lr=1", says="train.lr=1")
        self.refuses(2, "card", "run", "train.lr=1", says="train.lr=1")

    def test_things_that_are_not_run_folders(self):
        self.write("empty/.keep", "")
        self.write("file", "text")
        for thing in "nothing", "file", "empty":
            self.refuses(5, "eval", thing, says=thing)
            self.refuses(5, "table", thing, says=thing)
            self.refuses(5, "inspect", thing, says=thing)
        self.refuses(5, "card", "empty", says="empty")
        for command in "card", "verify":
            for name in "nothing", "n" * 300:
                self.refuses(2, command, name, says=[name, "cannot be read"])
        self.write("started/recipe.yaml", self.resolved())
        self.refuses(5, "eval", "started", says="no checkpoint")
        self.write("odd/recipe.yaml", "a: [")
        self.refuses(5, "table", "odd", says="odd/recipe.yaml")

    def test_commas_and_equals_signs_in_names(self):
        """Cells are called "rope,seed=0": such a word is neither cut nor taken for an override."""
        self.write("a,b.yaml", (self.folder / "r.yaml").read_bytes())
        lists = self.resolved(
            "evaluate.lengths=[16,32,64]", "encoding={kind: rope, base: 500}", recipe="a,b.yaml"
        )
        self.assertIn("lengths: [16, 32, 64]", lists)
        self.assertIn("kind: rope\n  base: 500", lists)
        self.train("rope,seed=0")
        self.train("seed=0")
        for name in "rope,seed=0", "seed=0":
            runs = strict_json(self.locus("eval", name, "--json")[0])["runs"]
            self.assertEqual(len(runs), 2)
            self.assertIn("rope", self.locus("table", name)[0])

    def test_a_full_pipe_end_is_a_failure(self):
        with open("/dev/full", "wb") as full:
            process = self.start("version", stdout=full)
            _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 5)
        self.assertIn(b"stdout", err)


if __name__ == "__main__":
    unittest.main()
