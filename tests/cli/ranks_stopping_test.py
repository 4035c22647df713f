"""Signals under mpirun: to all ranks or to one, all end together with 75 and go on from there."""

import json
import signal
import time

from ranks_support import AT_ONCE, FAULTS, OPEN_MPI, RankCase, main

# Long enough for a signal to arrive in time, in parts that are short: where one rank stops, the others end their part.
# Sanitizers, which take no library of faults, are slow by themselves.
EVALUATION = "evaluate={lengths: [16, 64, 96, 112, 128], protocols: [non_overlapping, 'sliding:1']}"
TEXT = f"data={{corpus: generated, documents: 12, document_length: {20000 if FAULTS else 4000}}}"
SHARD = 16384 if FAULTS else 1024  # tokens: what a signal waits for
LONG_STEP = ["train.steps=100", "model={layers: 4, width: 256, heads: 4}", "train.length=512", f"train.batch_tokens={64 * SHARD}", "train.shards=64"]


class Stopping(RankCase):
    launcher = AT_ONCE

    def stopped(self, process, rank=None, by=signal.SIGUSR2, at="parameters"):
        """One rank gets the signal, or all, a little after `at` stands on stderr; what was said."""
        said = ""
        while at not in said:
            line = process.stderr.readline()
            self.assertNotEqual(line, "", said)
            said += line
        time.sleep(0.2)
        begin = time.monotonic()
        if rank is None:
            self.signal_all(process, by)
        else:
            self.kill(rank, by)
        out, err = self.ends(process, 75 if OPEN_MPI else (75, 9, 75 | 9), seconds=30)
        self.assertLess(time.monotonic() - begin, 6 if rank is None else 20, err)  # one alone: the others end their part
        self.assertEqual(out, "")
        return said + err

    def test_in_one_long_step(self):
        for ranks, by in (2, signal.SIGUSR1), (3, signal.SIGUSR2):
            process = self.begin(ranks, "train", "r.yaml", *LONG_STEP, "--out", f"run{ranks}")
            self.assertEqual(self.stopped(process, by=by).count("stopped and saved after step 0"), 1)

    def test_in_an_evaluation(self):
        self.train("run", EVALUATION, TEXT)
        straight = json.loads(self.locus("eval", "run", "--json")[0])
        kept = 0
        for ranks, rank in (2, None), (3, 2), (2, 0):
            process = self.begin(ranks, "eval", "run", "--json")
            err = self.stopped(process, rank, at="evaluation")
            self.assertEqual(err.count("locus: "), 1, err)
            draft = self.folder / "run" / "evaluations" / "unfinished.h5"
            kept += draft.exists()
            out, _ = self.ranks(2, "eval", "run", "--json")
            self.assertEqual(json.loads(out), straight)
            self.assertFalse(draft.exists())
        self.assertGreater(kept, 0)


if __name__ == "__main__":
    main()
