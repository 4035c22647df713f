"""Full and read-only disks under mpirun, on a small file system that is mounted for the test."""

import contextlib
import os
import subprocess
import sys
import tempfile

from ranks_support import AT_ONCE, RankCase, main


def mount(*options):
    return subprocess.run(["mount", *map(str, options)], capture_output=True, check=False).returncode == 0


@contextlib.contextmanager
def small_disk(folder, size):
    folder.mkdir(exist_ok=True)
    assert mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


class Disks(RankCase):
    launcher = AT_ONCE

    def fails(self, process, *parts):
        out, err = self.ends(process, 5, seconds=10)
        for part in ["locus: ", *parts]:
            self.assertEqual(err.count(part), 1, err)
        self.assertEqual(out, "")
        return err

    def prefix(self, ranks):
        return f"locus: rank 0 of {ranks}: " if ranks > 1 else "locus: "

    def test_a_disk_that_gets_full(self):
        words = ["train", "r.yaml", "train.steps=40", "train.checkpoint_every=1", "train.keep=100", "--out"]
        self.locus(*words, "straight")
        for ranks in 1, 2, 3:
            with small_disk(self.folder / "disk", "1m") as disk:
                err = self.fails(self.begin(ranks, *words, "disk/run"), ": No space left on device")
                said = [line for line in err.splitlines() if line.startswith("locus: ")]
                self.assertRegex(said[0], rf"\A{self.prefix(ranks)}cannot write disk/run/checkpoints/step_\d+\.h5: ")
                there = sorted(path.name for path in (disk / "run" / "checkpoints").iterdir())
                self.assertEqual(there, [f"step_{step:08}.h5" for step in range(1, len(there) + 1)])  # no half file
                self.assertGreater(len(there), 1)
                self.locus("inspect", self.newest_checkpoint("disk/run"))
                self.assertTrue(mount("-o", "remount,size=64m", disk))
                _, err = self.ranks(ranks % 3 + 1, *words, "disk/run")
                self.assertIn(f"going on from step {len(there)}", err)
                self.same_as("straight", "disk/run")

    def test_a_disk_without_a_byte_left(self):
        """Not even the manifest can say why: the reason is told all the same, and it is the first one."""
        words = ["train", "r.yaml", "train.steps=1000000", "train.checkpoint_every=20", "--out"]
        for ranks in 1, 2:
            with small_disk(self.folder / "disk", "2m") as disk:
                process = self.begin(ranks, *words, "disk/run")
                self.wait_for(lambda: list(disk.glob("run/checkpoints/step_*.h5")), process)
                with contextlib.suppress(OSError), open(disk / "ballast", "wb", buffering=0) as ballast:
                    while True:
                        ballast.write(bytes(4096))
                err = self.fails(process, ": No space left on device", self.prefix(ranks))
                self.assertNotIn("manifest.json", err)
                self.locus("inspect", self.newest_checkpoint("disk/run"))
                os.unlink(disk / "ballast")

    def test_a_read_only_folder(self):
        words = ["train", "r.yaml", "--out"]
        with small_disk(self.folder / "disk", "1m") as disk:
            self.locus(*words, "disk/old")
            for path in (disk / "old" / "checkpoints").iterdir():
                if path != self.newest_checkpoint("disk/old"):
                    path.unlink()
            self.assertTrue(mount("-o", "remount,ro", disk))
            for ranks in 1, 2, 3:
                for run in "new", "old":
                    process = self.begin(ranks, *words, f"disk/{run}")
                    self.fails(process, f"{self.prefix(ranks)}", f"disk/{run}", ": Read-only file system")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="locus-disk-") as trial:
        if not mount("-t", "tmpfs", "-o", "size=64k", "tmpfs", trial):
            print("not run: needs CAP_SYS_ADMIN, to mount a small file system")
            sys.exit(77)
        subprocess.run(["umount", trial], check=True)
    main()
