"""Runs under mpirun that are stopped or killed, and go on as if nothing had happened.

LOCUS_TEST_KILLS is how often the run is killed before it may end (default: 4).
"""

import os
import random
import signal
import time

from ranks_support import AT_ONCE, FAULTS, KILLED, RankCase, main

KILLS = int(os.environ.get("LOCUS_TEST_KILLS", "4"))


class Resume(RankCase):
    launcher = AT_ONCE

    def test_signals_and_another_number_of_ranks(self):
        words = ["train", "r.yaml", "train.steps=1200", "train.checkpoint_every=400"]
        self.locus(*words, "--out", "straight")
        process = self.begin(2, *words, "--out", "run")
        log = self.folder / "run" / "metrics.jsonl"
        self.wait_for(lambda: log.exists() and log.stat().st_size > 10_000, process)
        self.signal_all(process, signal.SIGUSR2)
        _, err = self.ends(process, 75, seconds=10)
        self.assertEqual(err.count("stopped and saved after step"), 1)
        step = self.records("run")[-1]["step"]
        self.assertEqual(self.newest_checkpoint("run").name, f"step_{step:08}.h5")

        process = self.begin(3, *words, "--out", "run")  # and one rank alone hears the next
        self.wait_for(lambda: log.stat().st_size > 30_000, process)
        os.kill(random.choice(self.processes()), signal.SIGTERM)
        _, err = self.ends(process, 75, seconds=10)
        self.assertIn(f"going on from step {step}", err)

        _, err = self.ranks(1, *words, "--out", "run")
        self.assertEqual(err.count("trained after step 1200"), 1)
        self.same_as("straight", "run")

    def test_killed_at_any_moment(self):
        """Every second kill waits for a save to begin; a slow disk makes it likely to hit before the end of it."""
        steps = 12 * KILLS + 20
        words = ["train", "r.yaml", f"train.steps={steps}", "train.checkpoint_every=2", "--resume", "auto"]
        self.locus(*words, "--out", "straight")
        checkpoints = self.folder / "run" / "checkpoints"
        slow = {"LD_PRELOAD": FAULTS, "LOCUS_FAULT_SLOW_DISK": "10"} if FAULTS else {}

        def is_saving():
            return any(".tmp-" in name for name in self.names(checkpoints))

        def saved():
            return {name for name in self.names(checkpoints) if name.endswith(".h5")}

        kills, inside, where = 0, 0, []
        while kills < KILLS:
            before = saved()
            process = self.begin(1 + kills % 3, *words, "--out", "run", environment=slow)
            self.wait_for(lambda: saved() - before, process)  # past a checkpoint of its own
            victims = self.processes()
            in_save = kills % 2 == 1
            if in_save:
                victims = [victim for victim in victims if self.rank_of(victim) == 0]
            time.sleep(random.uniform(0, 0.05))
            if in_save:
                self.wait_for(is_saving, process, pause=0)
            if process.poll() is not None or not victims:
                self.fail(f"the run ended before kill {kills + 1} of {KILLS}: {process.communicate()}")
            os.kill(random.choice(victims), signal.SIGKILL)
            self.ends(process, KILLED, seconds=10)
            kills += 1
            inside += is_saving()  # its half file is still there
            self.locus("inspect", self.newest_checkpoint("run"))
            where.append(self.newest_checkpoint("run").name.removesuffix(".h5").removeprefix("step_").lstrip("0"))
        print(f"{kills} kills, {inside} of them inside a save; newest checkpoints then: {', '.join(where)} of {steps}")
        if FAULTS:
            self.assertGreater(inside, 0)
        self.ranks(2, *words, "--out", "run")
        self.same_as("straight", "run")

    def names(self, folder):
        try:
            return set(os.listdir(folder))
        except FileNotFoundError:
            return set()


if __name__ == "__main__":
    main()
