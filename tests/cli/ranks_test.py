"""Under mpirun: the same bits on any number of ranks, one voice, and cells that are shared out."""

import os
import shutil
import signal

import search_test
from ranks_support import KILLED, RankCase, digest, main
from support import strict_json

CELLS = (
    "vary={arm: [{name: rope, encoding: {kind: rope}}, {name: wild, train.lr: 1e30},"
    " {name: t5, encoding: {kind: t5}}], train.seed: [0, 1]}"
)


class Bits(RankCase):
    def test_ranks_and_threads(self):
        words = ["model.dropout=0.1", "train.validate_every=4"]
        self.train("straight", *words)
        for ranks in 1, 2, 3, 4:
            for threads in 1, 2:
                run = f"{ranks}x{threads}"
                out, err = self.ranks(ranks, "train", "r.yaml", *words, "--out", run, "--threads", threads)
                self.assertEqual((out, err.count("trained after step 8"), err.count("parameters")), ("", 1, 1))
                self.same_as("straight", run)
                manifest = strict_json((self.folder / run / "manifest.json").read_text())
                # of two threads, those that a rank has a shard for: there are four
                self.assertEqual((manifest["ranks"], manifest["threads"]), (ranks, min(threads, -(-4 // ranks))))
                self.assertEqual(
                    [record.get("valid_loss") for record in self.records(run)],
                    [record.get("valid_loss") for record in self.records("straight")],
                )

    def test_more_ranks_than_sequences(self):
        for sequences, ranks in (2, 4), (7, 5), (10, 3):
            words = [f"train.batch_tokens={16 * sequences}", "train.shards=16", "train.steps=20"]
            self.train(f"straight{sequences}", *words)
            self.ranks(ranks, "train", "r.yaml", *words, "--out", f"ranks{sequences}")
            self.assertEqual([step for step, *_ in self.columns(f"ranks{sequences}")], list(range(1, 21)))
            self.same_as(f"straight{sequences}", f"ranks{sequences}")

    def test_the_fast_reduction(self):
        self.train("straight", "train.reduction=fast")
        self.ranks(3, "train", "r.yaml", "train.reduction=fast", "--out", "fast")
        for (step, _, loss, *_), (_, _, exact, *_) in zip(
            self.columns("fast"), self.columns("straight"), strict=True
        ):
            self.assertAlmostEqual(loss, exact, delta=1e-4, msg=step)
        self.refuses(2, "train", "r.yaml", "train.reduction=slow", "--out", "x", says=["exact", "fast"])

    def test_evaluations(self):
        self.train("run")
        words = ["eval", "run", "--json", "--protocol", "non_overlapping,sliding,same_target,per_position"]
        straight, _ = self.locus(*words)
        for ranks in 2, 5:
            out, _ = self.ranks(ranks, *words)
            self.assertEqual(out, straight)
        before = digest(next((self.folder / "run").rglob("manifest.json")))
        self.locus("eval", "run")
        files = {path: digest(path) for path in (self.folder / "run" / "evaluations").iterdir()}
        self.ranks(3, "eval", "run")
        self.assertEqual({path: digest(path) for path in files}, files)
        self.assertNotEqual(before, digest(next((self.folder / "run").rglob("manifest.json"))))

    def test_searches(self):
        self.write("base.yaml", search_test.BASE)
        self.write("search.yaml", search_test.SEARCH)
        self.train("base", recipe="base.yaml")
        words = ["search", "search.yaml", "--json", "--out"]
        straight, _ = self.locus(*words, "one")
        for ranks in 2, 5:
            out, err = self.ranks(ranks, *words, str(ranks))
            self.assertEqual((out, err.count("better than yarn")), (straight, 1))
            self.same_files("one", str(ranks))
        self.ranks(2, *words, "parts", "search.iterations=2")  # and on other ranks from there
        out, err = self.ranks(3, *words, "parts")
        self.assertEqual((out, err.count("going on after iteration 2")), (straight, 1))
        self.same_files("one", "parts")
        _, err = self.ranks(2, *words, "parts", "train.seed=1", code=5)
        self.assertEqual(err.count("another search"), 1)

    def same_files(self, straight, out):
        for name in "search.json", "best.yaml", "progress.jsonl", "result.json":
            self.assertEqual((self.folder / out / name).read_bytes(), (self.folder / straight / name).read_bytes())

    def test_a_profile_shows_what_they_cost(self):
        for ranks in 1, 2:
            out, _ = self.ranks(ranks, "train", "r.yaml", "--profile", "--out", f"profiled{ranks}")
            for part in "communication", "wait for ranks":
                self.assertEqual(out.count(f"[{part}]"), ranks - 1)

    def test_verify_compares_them(self):
        alone = strict_json(self.locus("verify", "r.yaml", "--json")[0])
        found = strict_json(self.ranks(2, "verify", "r.yaml", "--json")[0])
        names = [[check["name"] for check in one["checks"]] for one in (alone, found)]
        own = ["the gradient of 2 ranks = of one rank", "a training step on 2 ranks = on one rank"]
        self.assertEqual([name for name in names[1] if name not in names[0]], own)
        for check in found["checks"]:
            if check["name"] in own:
                self.assertEqual((check["difference"], check["limit"], check["passed"]), (0, 0, True))
        self.assertTrue(found["passed"])

    def test_what_ranks_do_not_share_is_done_once(self):
        out, _ = self.ranks(3, "data", "build", "r.yaml", "--out", "three.h5")
        self.assertEqual(out, self.locus("data", "build", "r.yaml", "--out", "one.h5")[0].replace("one", "three"))
        self.assertEqual(digest(self.folder / "three.h5"), digest(self.folder / "one.h5"))
        for words in ["list", "rules"], ["train", "r.yaml", "--dry-run"], ["run", "--help"]:
            out, _ = self.ranks(2, *words)
            self.assertEqual(out, self.locus(*words)[0])


class Cells(RankCase):
    def test_groups_share_the_cells(self):
        straight, _ = self.locus("run", "r.yaml", CELLS, "--out", "straight", code=1)
        table = (self.folder / "straight" / "table.json").read_bytes()
        for ranks, words in (4, ["--ranks-per-cell", "1"]), (5, ["--ranks-per-cell", "2"]), (3, []):
            out, err = self.ranks(ranks, "run", "r.yaml", CELLS, "--out", "all", *words, code=1)
            self.assertEqual(out, straight)
            self.assertEqual((self.folder / "all" / "table.json").read_bytes(), table)
            self.assertEqual(err.count("failed: wild,seed=0: step 2"), 1)
            why = f"{words[1]} of {ranks}, as --ranks-per-cell says" if words else f" of {ranks}, by measurement: 1: "
            self.assertEqual(err.count("ranks per cell: "), 1)
            self.assertIn(why, err)
            for cell in "rope,seed=1", "t5,seed=0":
                self.same_as(f"straight/{cell}", f"all/{cell}")
            out, err = self.ranks(2, "run", "r.yaml", CELLS, "--out", "all", code=1)
            self.assertEqual((out, err.count("done before")), (straight, 4))
            shutil.rmtree(self.folder / "all")
        _, err = self.ranks(2, "run", "r.yaml", CELLS, "--out", "x", "--ranks-per-cell", "3", code=2)
        self.assertEqual(err.count("at most the 2 ranks, found 3"), 1)
        self.refuses(2, "run", "r.yaml", "--out", "x", "--ranks-per-cell", "2", says="at most the 1 ranks")

    def test_a_cell_waits_for_the_one_that_it_begins_with(self):
        chain = "vary={arm: [{name: base}, {name: more, from.arm: base, train.steps: 2, train.length: 32}]}"
        straight, _ = self.locus("run", "r.yaml", chain, "--out", "one")
        out, err = self.ranks(2, "run", "r.yaml", chain, "--out", "two")
        self.assertEqual(out, straight)
        self.same_as("one/more", "two/more")
        self.assertEqual(err.count("ranks per cell: all 2, because cells begin with other cells (from.arm)"), 1)
        _, err = self.ranks(2, "run", "r.yaml", chain, "--out", "x", "--ranks-per-cell", "1", code=2)
        self.assertEqual(err.count("begin with other cells (from.arm)"), 1)

    def test_a_stopped_experiment_goes_on(self):
        words = ["run", "r.yaml", CELLS.replace("1e30", "1e-4"), "train.steps=200"]
        straight, _ = self.locus(*words, "--out", "straight")
        for name, code in (signal.SIGUSR2, 75), (signal.SIGKILL, KILLED):
            out = f"all{int(name)}"
            process = self.begin(2, *words, "--out", out, "--ranks-per-cell", "1")
            self.wait_for(lambda out=out: len(list((self.folder / out).glob("*/checkpoints"))) >= 3, process)
            if name == signal.SIGKILL:
                os.kill(self.processes()[1], name)
            else:
                self.signal_all(process, name)
            self.ends(process, code, seconds=10)
            result, err = self.ranks(3, *words, "--out", out)
            self.assertGreater(err.count("done before"), 0)
            self.assertEqual(result, straight)


if __name__ == "__main__":
    main()
