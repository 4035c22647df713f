"""Under mpirun: the same bits on any number of ranks, one voice, and an end to every fault."""

import hashlib
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest

from support import PROGRAM, CommandCase, strict_json

# Open MPI's words for "as root" and "more ranks than cores"; other launchers do not read them.
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "OMP_NUM_THREADS": "1",
    "ASAN_OPTIONS": "detect_leaks=0",  # MPI libraries keep some memory to the end
}
CELLS = (
    "vary={arm: [{name: rope, encoding: {kind: rope}}, {name: wild, train.lr: 1e30},"
    " {name: t5, encoding: {kind: t5}}], train.seed: [0, 1]}"
)


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class RankCase(CommandCase):
    def begin(self, ranks, *words, **options):
        return self.begin_parts([(ranks, words)], **options)

    def begin_parts(self, parts, environment=None):
        """One job of several command lines: [(ranks, words), ...]."""
        command = ["mpirun"]
        for ranks, words in parts:
            program = [*words] if words[0] == "env" else [PROGRAM, *words]
            command += [*([":"] if len(command) > 1 else []), "-n", str(ranks), *map(str, program)]
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env={**os.environ, **ENVIRONMENT, "LOCUS_DATA": str(self.folder / "corpora"), **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def ends(self, process, code, seconds=60):
        """(stdout, stderr) of a job that ends with `code` in time and leaves no process behind."""
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            self.fail(f"still there after {seconds} s: {process.args}")
        self.assertIn(process.returncode, code if isinstance(code, tuple) else (code,), f"{out}{err}")
        deadline = time.monotonic() + 5
        while self.processes() and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual(self.processes(), [])
        return out, err

    def ranks(self, ranks, *words, code=0, **options):
        return self.ends(self.begin(ranks, *words, **options), code)

    def processes(self):
        """Processes of the program that work in the test's folder."""
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if (process / "cwd").resolve() == self.folder.resolve():
                    if (process / "exe").resolve() == pathlib.Path(PROGRAM).resolve():
                        found.append(int(process.name))
            except OSError:
                continue
        return sorted(found)

    def wait_for(self, condition, process):
        deadline = time.monotonic() + 30
        while not condition() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        self.assertTrue(condition(), process.poll())

    def columns(self, run):
        return [
            (record["step"], record["tokens"], record["loss"], record["lr"], record["grad_norm"])
            for record in self.records(run)
        ]

    def same_as(self, straight, run):
        self.assertEqual(self.columns(run), self.columns(straight))
        self.assertEqual(digest(self.newest_checkpoint(run)), digest(self.newest_checkpoint(straight)), run)


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
                self.assertEqual((manifest["ranks"], manifest["threads"]), (ranks, threads))
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

    def test_what_ranks_do_not_share_is_done_once(self):
        for words in ["list", "rules"], ["train", "r.yaml", "--dry-run"], ["run", "--help"]:
            out, _ = self.ranks(2, *words)
            self.assertEqual(out, self.locus(*words)[0])


class Resume(RankCase):
    def test_signals_and_another_number_of_ranks(self):
        words = ["train", "r.yaml", "train.steps=1200", "train.checkpoint_every=400"]
        self.locus(*words, "--out", "straight")
        process = self.begin(2, *words, "--out", "run")
        log = self.folder / "run" / "metrics.jsonl"
        self.wait_for(lambda: log.exists() and log.stat().st_size > 10_000, process)
        process.send_signal(signal.SIGUSR2)  # mpirun hands it on
        _, err = self.ends(process, 75, seconds=10)
        self.assertEqual(err.count("stopped and saved after step"), 1)
        step = self.records("run")[-1]["step"]
        self.assertEqual(self.newest_checkpoint("run").name, f"step_{step:08}.h5")

        process = self.begin(3, *words, "--out", "run")  # and one rank alone hears the next
        self.wait_for(lambda: log.stat().st_size > 30_000, process)
        os.kill(random.choice(self.processes()), signal.SIGTERM)
        _, err = self.ends(process, 75, seconds=10)
        self.assertIn(f"going on from step {step}", err)

        _, err = self.ranks(4, *words, "--out", "run")
        self.assertEqual(err.count("trained after step 1200"), 1)
        self.same_as("straight", "run")

    def test_killed_at_any_moment(self):
        words = ["train", "r.yaml", "train.steps=600", "train.checkpoint_every=10"]
        self.locus(*words, "--out", "straight")
        log, kills = self.folder / "run" / "metrics.jsonl", 0
        for attempt in range(4):
            size = log.stat().st_size if log.exists() else 0
            process = self.begin(2 + attempt % 2, *words, "--out", "run")
            self.wait_for(lambda: log.exists() and log.stat().st_size > size, process)
            time.sleep(random.uniform(0, 0.1))
            alive = self.processes()
            if process.poll() is None and alive:
                os.kill(random.choice(alive), signal.SIGKILL)
                kills += 1
                self.ends(process, (137, 1, 255), seconds=10)
            else:
                self.ends(process, 0)
        self.assertGreater(kills, 0)
        self.ranks(2, *words, "--out", "run")
        self.same_as("straight", "run")

    def test_damaged_checkpoints(self):
        self.train("run", "train.keep=3")
        newest = self.newest_checkpoint("run")
        newest.write_bytes(newest.read_bytes()[: newest.stat().st_size * 6 // 10])
        _, err = self.ranks(2, "train", "r.yaml", "train.keep=3", "--out", "run")
        self.assertEqual(err.count(newest.name), 1)  # said once
        self.assertIn("going on from step 6", err)
        for path in (self.folder / "run" / "checkpoints").iterdir():
            path.write_bytes(b"")
        _, err = self.ranks(3, "train", "r.yaml", "train.keep=3", "--out", "run", code=5)
        self.assertEqual(err.count("no checkpoint can be read"), 1)


class Faults(RankCase):
    def fails(self, process, code, *parts):
        """Ends within 10 s, with the reason and the rank once."""
        out, err = self.ends(process, code, seconds=10)
        for part in ["locus: ", *parts]:
            self.assertEqual(err.count(part), 1, err)
        self.assertEqual(out, "")

    def test_all_ranks_alike(self):
        for ranks in 3, 5:
            self.fails(self.begin(ranks, "train", "none.yaml", "--out", "x"), 2, "none.yaml")
        self.fails(self.begin(3, "train", "r.yaml", "data={corpus: none}", "--out", "x"), 3, "corpus 'none'")
        self.fails(self.begin(2, "train", "r.yaml", "train.lr=1e30", "--out", "wild"), 4, "train.lr")
        self.assertFalse((self.folder / "x").exists())

    def test_one_rank_in_its_words(self):
        good = ["train", "r.yaml", "--out", "run"]
        self.fails(
            self.begin_parts([(2, good), (1, [*good, "--threads", "0"]), (1, good)]), 2, "rank 2 of 4", "--threads"
        )
        self.fails(
            self.begin_parts([(1, good), (1, [*good, "train.lr=2e-3"])]), 2, "rank 1", "recipe (XXH3)"
        )
        self.assertFalse((self.folder / "run").exists())

    def test_one_rank_in_its_data(self):
        corpora = self.folder / "corpora"
        corpora.mkdir()
        self.write("text.txt", bytes(33 + (i * i * 7 + i) % 90 for i in range(4000)))
        self.locus("data", "build", "text.txt", "--out", "corpora/mine.h5")
        good = ["train", "r.yaml", "data={corpus: mine, valid: 0.1, test: 0.1}", "--out", "run"]
        blind = ["env", "LOCUS_DATA=/nowhere", PROGRAM, *good]
        for before, after in (2, 1), (1, 3):
            self.fails(
                self.begin_parts([(before, good), (1, blind), (after, good)]),
                3,
                f"rank {before} of {before + after + 1}",
                "corpus 'mine' is not here",
            )
        self.ranks(2, *good)

    def test_rank_zero_in_a_save(self):
        self.write("run/checkpoints", "a file where a folder should be")
        self.fails(self.begin(3, "train", "r.yaml", "--out", "run"), 5, "rank 0 of 3", "checkpoints")
        self.fails(self.begin(2, "train", "r.yaml", "--out", "r.yaml/run"), 5, "rank 0 of 2", "r.yaml")

    def test_a_dead_rank(self):
        words = ["train", "r.yaml", "train.steps=1000000", "train.checkpoint_every=50", "--out"]
        for name, ranks in (signal.SIGKILL, 3), (signal.SIGINT, 2), (signal.SIGTERM, 2):
            run = f"run{int(name)}"
            process = self.begin(ranks, *words, run)
            self.wait_for(lambda run=run: list((self.folder / run).glob("checkpoints/step_*.h5")), process)
            if name == signal.SIGKILL:
                os.kill(self.processes()[1], name)
            else:
                process.send_signal(name)  # mpirun ends its ranks; they save if the time is enough
            self.ends(process, tuple(range(1, 256)), seconds=10)
            self.locus("inspect", self.newest_checkpoint(run))  # whole


class Cells(RankCase):
    def test_groups_share_the_cells(self):
        straight, _ = self.locus("run", "r.yaml", CELLS, "--out", "straight", code=1)
        table = (self.folder / "straight" / "table.json").read_bytes()
        for ranks, words in (4, ["--ranks-per-cell", "1"]), (5, ["--ranks-per-cell", "2"]), (3, []):
            out, err = self.ranks(ranks, "run", "r.yaml", CELLS, "--out", "all", *words, code=1)
            self.assertEqual(out, straight)
            self.assertEqual((self.folder / "all" / "table.json").read_bytes(), table)
            self.assertEqual(err.count("failed: wild,seed=0: step 2"), 1)
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
        out, _ = self.ranks(2, "run", "r.yaml", chain, "--out", "two")
        self.assertEqual(out, straight)
        self.same_as("one/more", "two/more")
        _, err = self.ranks(2, "run", "r.yaml", chain, "--out", "x", "--ranks-per-cell", "1", code=2)
        self.assertEqual(err.count("begin with other cells (from.arm)"), 1)

    def test_a_stopped_experiment_goes_on(self):
        words = ["run", "r.yaml", CELLS.replace("1e30", "1e-4"), "train.steps=200"]
        straight, _ = self.locus(*words, "--out", "straight")
        for name, code in (signal.SIGUSR2, 75), (signal.SIGKILL, (137, 1, 255)):
            out = f"all{int(name)}"
            process = self.begin(2, *words, "--out", out, "--ranks-per-cell", "1")
            self.wait_for(lambda out=out: len(list((self.folder / out).glob("*/checkpoints"))) >= 3, process)
            if name == signal.SIGKILL:
                os.kill(self.processes()[1], name)
            else:
                process.send_signal(name)
            self.ends(process, code, seconds=10)
            result, err = self.ranks(3, *words, "--out", out)
            self.assertGreater(err.count("done before"), 0)
            self.assertEqual(result, straight)


if __name__ == "__main__":
    if shutil.which("mpirun") is None:
        print("not run: mpirun is missing")
        sys.exit(77)
    unittest.main()
