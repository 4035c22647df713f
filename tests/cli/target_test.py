"""LOCUS_TARGET limits the kernels to an instruction set: named in `version` and manifest.json, or refused."""

import os
import platform
import shutil
import subprocess
import unittest

from support import PROGRAM, CommandCase, strict_json

EMULATOR = shutil.which("qemu-x86_64-static") or shutil.which("qemu-x86_64")


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

    @unittest.skipUnless(EMULATOR and platform.machine() == "x86_64", "not run: qemu-x86_64 is missing")
    def test_an_old_processor(self):
        """Of x86-64-v2, without AES; and one that has less than the program was compiled for."""
        whole = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "LOCUS_DATA": str(self.folder)}  # no second start, outside of the emulator
        for processor, code, says in ("Nehalem", 0, "target: sse4"), ("core2duo", 2, "this processor lacks "):
            for words in ["version"], ["card", "r.yaml"]:
                command = [EMULATOR, "-cpu", processor, PROGRAM, *words]
                done = subprocess.run(command, cwd=self.folder, env={**os.environ, **whole}, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, code, done.stderr)
                if words == ["version"] or code != 0:
                    self.assertIn(says, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
