"""`train --profile`: a table on stdout and profile.json, which account for all of the time and change no bit."""

import unittest

from support import CommandCase, strict_json


class Profile(CommandCase):
    def parameters(self, run):
        return strict_json(self.locus("inspect", self.newest_checkpoint(run), "--json")[0])["state_hash"]

    def test_the_table_accounts_for_all_of_the_time(self):
        for threads in 1, 2:
            run = f"threads{threads}"
            out, _ = self.train(run, "--profile", "--threads", threads)
            profile = strict_json((self.folder / run / "profile.json").read_text())
            self.assertEqual((profile["steps"], profile["warm_up_steps"], profile["workers"]), (6, 2, threads))
            rows = profile["ops"] + profile["parts"] + profile["idle"]
            self.assertAlmostEqual(sum(row["share"] for row in rows), 1, delta=1e-9)
            for row in rows:
                self.assertGreaterEqual(row["share"], 0, row)
            seconds = sum(row["forward_seconds"] + row["backward_seconds"] for row in profile["ops"])
            seconds += sum(row["seconds"] for row in profile["parts"] + profile["idle"])
            self.assertAlmostEqual(seconds / (threads * profile["step_seconds"]["mean"]), 1, delta=1e-9)
            parts = {part["name"] for part in profile["parts"]}
            self.assertLessEqual({"data", "gradient tree", "gradient norm", "optimizer", "pack weights"}, parts)
            names = {op["name"] for op in profile["ops"]}
            self.assertTrue(any("attention" in name for name in names), names)
            self.assertIn("linear_cross_entropy", names)
            self.assertTrue(any(op["backward_seconds"] > 0 for op in profile["ops"]))
            self.assertGreater(profile["memory"]["process_peak"], 1 << 20)
            self.assertEqual(len(profile["memory"]["arena_peaks"]), threads)
            for name in names | {f"[{part}]" for part in parts}:
                self.assertIn(name, out)
            self.assertIn("100.0 %", out)

    def test_it_changes_no_bit_and_is_off_by_default(self):
        self.train("with", "--profile")
        out, _ = self.train("without")
        self.assertEqual(out, "")
        self.assertFalse((self.folder / "without" / "profile.json").exists())
        self.assertEqual(self.parameters("with"), self.parameters("without"))

    def test_a_finished_run_has_no_step_to_profile(self):
        self.train("run")
        out, err = self.train("run", "--profile")
        self.assertEqual(out, "")
        self.assertIn("no step was left to profile", err)


if __name__ == "__main__":
    unittest.main()
