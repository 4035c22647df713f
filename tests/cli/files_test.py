"""Texts, corpora, checkpoints and disks as they are found: taken byte by byte, or refused in one line."""

import ctypes
import os
import pathlib
import re
import resource
import signal
import subprocess
import tempfile
import unittest
from ctypes.util import find_library

from support import CommandCase, strict_json, tree

PLAIN = """data: { corpus: text.txt, valid: 0.2, test: 0 }
model: { layers: 1, width: 16, heads: 2 }
train: { length: 16, steps: 2, batch_tokens: 64, shards: 4 }
evaluate: { lengths: [16, 32], protocols: [non_overlapping] }
"""


def damages(whole, place):
    """`place` lies in the content: HDF5 leaves gaps between its parts, which nothing reads."""
    flipped = whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :]
    return {
        "cut": whole[: len(whole) * 6 // 10],
        "empty": b"",
        "text": b"This is text.\n",
        "flipped": flipped,
    }


class Digest(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


def seal(path):
    """Puts the checksum of the whole file at its end, as for a file that nobody changed."""
    xxhash = ctypes.CDLL(find_library("xxhash"))
    xxhash.XXH3_128bits.restype = Digest
    xxhash.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    content = re.sub(rb"\nlocus-seal-1 xxh3-128 [0-9a-f]{32}\n\Z", b"", path.read_bytes())
    digest = xxhash.XXH3_128bits(content, len(content))
    path.write_bytes(content + f"\nlocus-seal-1 xxh3-128 {digest.high:016x}{digest.low:016x}\n".encode())


def set_version(hdf5, path, version):
    """Changes the version of a file as HDF5 itself does: its headers carry checksums."""
    handle = ctypes.c_int64
    for name in "H5Fopen", "H5Aopen":
        getattr(hdf5, name).restype = handle
    hdf5.H5open()
    int64 = handle.in_dll(hdf5, "H5T_NATIVE_INT64_g")
    file = handle(hdf5.H5Fopen(bytes(path), 1, handle(0)))
    attribute = handle(hdf5.H5Aopen(file, b"version", handle(0)))
    assert hdf5.H5Awrite(attribute, int64, ctypes.byref(ctypes.c_int64(version))) >= 0
    assert hdf5.H5Aclose(attribute) >= 0 and hdf5.H5Fclose(file) >= 0
    seal(path)


class Texts(CommandCase):
    def setUp(self):
        super().setUp()
        self.write("p.yaml", PLAIN)

    def test_raw_bytes_are_a_text_where_the_recipe_says_so(self):
        odd = bytes(range(256)) * 4 + b"\xef\xbb\xbfline\r\nline\rline\0\xff\xfe\xc3"
        self.write("text.txt", odd)
        self.refuses(3, "train", "p.yaml", "--out", "run", says=["text.txt", "NUL at byte 0", "data.format: bytes"])
        self.train("run", "data.format=bytes", recipe="p.yaml")
        self.assertIn("format: bytes", (self.folder / "run" / "recipe.yaml").read_text())
        self.locus("data", "build", "text.txt", "--format", "bytes", "--out", "raw")
        found = strict_json(self.locus("data", "info", "./raw")[0])
        self.assertEqual(found["tokens"], len(odd))
        self.write("lines.txt", b"\n" * 400)
        self.train("lines", "data.corpus=lines.txt", recipe="p.yaml")

    def test_too_little_text(self):
        self.write("text.txt", b"")
        self.refuses(3, "train", "p.yaml", "--out", "run", says=["text.txt", "empty"])
        self.write("text.txt", b"0123456789abcdef")
        for changes in [], ["data.valid=0"]:
            self.refuses(3, "train", "p.yaml", *changes, "--out", "run", says="16")
        self.write("text.txt", b"0123456789abcdefg")  # one window and its last target
        self.train("run", "data.valid=0", recipe="p.yaml")
        for result in strict_json(self.locus("eval", "run", "--json")[0])["runs"][0]["results"]:
            self.assertEqual((result["state"], result["nats_per_token"]), ("too_short", None))

    def test_missing_corpus(self):
        self.refuses(3, "train", "p.yaml", "data.corpus=nothere.txt", "--out", "run", says="nothere.txt")
        self.refuses(
            3, "train", "p.yaml", "data.corpus=austen", "--out", "run", says="locus data fetch austen"
        )
        self.refuses(3, "data", "build", "nothere.txt", "--out", "c.h5", says="nothere.txt")
        self.refuses(3, "data", "info", "nothere.txt", says="nothere.txt")

    def test_damaged_corpus(self):
        self.write("text.txt", b"It is a truth universally acknowledged. " * 40)
        self.locus("data", "build", "text.txt", "--out", "whole.h5")
        self.train("run", "data.corpus=whole.h5", recipe="p.yaml")
        whole = (self.folder / "whole.h5").read_bytes()
        for name, content in damages(whole, whole.index(b"universally")).items():
            self.write(f"{name}.h5", content)
            self.refuses(3, "train", "p.yaml", f"data.corpus={name}.h5", "--out", "other", says=f"{name}.h5")
            self.refuses(3, "data", "info", f"{name}.h5", says=f"{name}.h5")
        checkpoint = self.newest_checkpoint("run")
        self.refuses(3, "data", "info", checkpoint, says="not a corpus")
        self.refuses(5, "inspect", "cut.h5", says="cut.h5")


class Folders(CommandCase):
    """What lies among texts, and where a corpus may be written."""

    def setUp(self):
        super().setUp()
        for name, text in {"train": "one", "valid": "two", "test": "three"}.items():
            self.write(f"texts/wiki.{name}.tokens", f"The text number {text}. " * 40)
        self.write("texts/cover.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF\0")
        self.write("texts/empty.txt", b"")

    def test_a_build_says_what_it_took_and_what_is_held_out(self):
        out, _ = self.locus("data", "build", "texts", "--out", "c.h5")
        for part in (
            "taken: 3 x text",
            "1 x a JPEG image (cover.jpg)",
            "1 x empty (empty.txt)",
            "trains on 1 document",
            "wiki.train.tokens",
            "validates on 1 document",
            "wiki.valid.tokens",
            "tests on 1 document",
            "wiki.test.tokens",
        ):
            self.assertIn(part, out)
        self.refuses(3, "data", "build", "texts", "--strict", "--out", "d.h5", says=["--strict", "cover.jpg"])
        recipe = PLAIN.replace("corpus: text.txt, valid: 0.2, test: 0", "corpus: texts")
        self.write("p.yaml", recipe)
        _, err = self.train("run", recipe="p.yaml")
        for part in ("left out: ", "validates on 1 document", "wiki.valid.tokens"):
            self.assertIn(part, err)
        corpus = strict_json((self.folder / "run" / "manifest.json").read_text())["corpus"]
        self.assertEqual(corpus["splits"]["test"]["names"], ["wiki.test.tokens"])
        self.assertEqual(corpus["hash"], strict_json(self.locus("data", "info", "c.h5")[0])["hash"])

    def test_the_shares_that_are_really_held_out(self):
        self.write("two/a.txt", "The greater part of the text. " * 390)
        self.write("two/b.txt", "The lesser part of the text. " * 10)
        self.write("p.yaml", PLAIN.replace("corpus: text.txt", "corpus: two"))
        _, err = self.train("run", recipe="p.yaml")
        self.assertRegex(err, r"validates on 1 document, 290 tokens, 2\.42 % of all \(20 % asked for\): b\.txt")

    def test_nothing_is_overwritten_unasked(self):
        text = self.write("a.txt", "It is a truth universally acknowledged. " * 40)
        self.train("run")
        checkpoint = self.newest_checkpoint("run")
        for out in ("a.txt", checkpoint, "r.yaml", "texts/c.h5"):
            for force in ([], ["--force"]):
                inputs = ["a.txt", "texts"]
                self.refuses(3, "data", "build", *inputs, *force, "--out", out, says=str(out))
        self.locus("data", "build", "a.txt", "--out", "c.h5")
        self.refuses(3, "data", "build", "a.txt", "--out", "c.h5", says=["c.h5", "--force"])
        self.locus("data", "build", "a.txt", "--force", "--out", "c.h5")
        self.assertEqual(text.read_text(), "It is a truth universally acknowledged. " * 40)

    def test_pipes_and_devices_are_never_waited_for(self):
        os.mkfifo(self.folder / "pipe")
        self.write("p.yaml", PLAIN)
        for place in ("pipe", "/dev/zero"):
            for code, words in (
                (2, ("train", place, "--out", "run")),
                (2, ("card", place)),
                (3, ("train", "p.yaml", f"data.corpus={place}", "--out", "run")),
                (3, ("data", "info", place)),
                (5, ("inspect", place)),
                (5, ("train", "r.yaml", "--resume", place, "--out", "run")),
            ):
                process = self.start(*words)
                out, err = process.communicate(timeout=20)
                self.assertEqual((process.returncode, out), (code, b""), (words, err))
                self.assertRegex(err.decode(), r"\Alocus: [^\n]*" + place + r"[^\n]*\n\Z", words)
                self.assertNotIn(b"unexpected", err)


class Checkpoints(CommandCase):
    def test_damaged_files(self):
        self.train("run")
        whole = self.newest_checkpoint("run").read_bytes()
        for name, content in damages(whole, whole.index(b"Does it carry?")).items():
            path = self.write(f"{name}.h5", content)
            says = [f"{name}.h5"] + ([] if name == "flipped" else [f"({len(content)} bytes)"])
            self.refuses(5, "card", path, says=says)
            self.refuses(5, "train", "r.yaml", "--out", "new", "--resume", path, says=says)
        self.refuses(5, "train", "r.yaml", "--out", "new", "--resume", "nothere.h5", says="nothere.h5")
        self.locus("data", "build", "r.yaml", "--out", "corpus.h5")
        self.refuses(5, "train", "r.yaml", "--out", "new", "--resume", "corpus.h5", says="corpus.h5")

    def test_each_flipped_byte_of_the_tensors_is_found(self):
        self.train("run")
        whole = self.newest_checkpoint("run").read_bytes()
        for place in range(len(whole) // 4, len(whole), len(whole) // 9):
            path = self.write("flipped.h5", whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
            process = self.start("card", path)
            out, err = process.communicate(timeout=60)
            self.assertEqual((process.returncode, out), (5, b""), (place, err))

    def test_a_flipped_byte_of_the_header_is_called_damage(self):
        self.train("run")
        whole = self.newest_checkpoint("run").read_bytes()
        for place in [*range(0, 64, 3), 100, 200, 500]:
            path = self.write("flipped.h5", whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
            err = self.refuses(5, "inspect", path, says=f"flipped.h5 ({len(whole)} bytes)")
            self.assertRegex(err, "damaged|cut off|incorrect metadata checksum", place)

    def test_another_version(self):
        library = find_library("hdf5_serial") or find_library("hdf5")
        if library is None or find_library("xxhash") is None:
            self.skipTest("not run: the shared libraries hdf5 and xxhash, which shall change the version, are missing")
        self.train("run")
        self.locus("data", "build", "r.yaml", "--out", "corpus.h5")
        newer = self.write("newer.h5", self.newest_checkpoint("run").read_bytes())
        set_version(ctypes.CDLL(library), newer, 99)
        self.refuses(5, "inspect", newer, says=["version 99", "expected 1"])
        self.refuses(5, "train", "r.yaml", "--out", "new", "--resume", newer, says="version 99")
        set_version(ctypes.CDLL(library), self.folder / "corpus.h5", 99)
        self.refuses(3, "data", "info", "corpus.h5", says=["version 99", "expected 2"])

    def test_an_older_checkpoint_stands_in_aloud(self):
        self.train("run")
        newest = self.newest_checkpoint("run")
        newest.write_bytes(newest.read_bytes()[:1000])
        _, err = self.locus("eval", "run", "--json")
        self.assertIn(newest.name, err)
        self.assertIn("step_00000006.h5: this older checkpoint stands in", err)
        _, err = self.train("run")
        self.assertIn(newest.name, err)
        self.assertIn("going on from step 6", err)
        for checkpoint in (self.folder / "run" / "checkpoints").iterdir():
            checkpoint.write_bytes(b"")
        self.refuses(5, "eval", "run", says=["no checkpoint can be read", "step_00000008.h5"])
        self.refuses(5, "train", "r.yaml", "--out", "run", says="no checkpoint can be read")


class Disks(CommandCase):
    def test_out_under_a_file(self):
        self.write("file", "text")
        for command in "train", "run":
            for out in "file", "file/run":
                code, err = self.ends(command, "r.yaml", "--out", out)
                self.assertIn("file", err)
                self.assertEqual(code, 5, err)
        self.refuses(3, "data", "build", "r.yaml", "--out", "file/c.h5", says="file/c.h5")
        self.refuses(3, "data", "build", "r.yaml", "--out", "nothere/c.h5", says="nothere/c.h5")
        self.assertEqual(sorted(tree(self.folder)), ["file", "r.yaml"])

    def ends(self, *words, **options):
        process = self.start(*words, **options)
        out, err = process.communicate(timeout=60)
        self.assertEqual(out, b"")
        return process.returncode, err.decode()

    def test_another_recipe(self):
        self.train("run")
        before = tree(self.folder)
        err = self.refuses(
            5, "train", "r.yaml", "train.lr=2e-3", "--out", "run", says=["another recipe", "0.001", "0.002"]
        )
        self.assertIn("line", err)
        self.locus("run", "r.yaml", "vary.train.seed=[0]", "--out", "all")
        before = tree(self.folder)
        self.refuses(
            5,
            "run",
            "r.yaml",
            "vary.train.seed=[0,1]",
            "train.lr=2e-3",
            "--out",
            "all",
            says="another recipe",
        )
        self.assertEqual(tree(self.folder), before)
        self.train("other", "train.lr=2e-3")
        self.refuses(
            5,
            "train",
            "r.yaml",
            "--out",
            "new",
            "--resume",
            self.newest_checkpoint("other"),
            says="another recipe",
        )

    def test_a_file_that_may_not_grow(self):
        """Every write fails beyond 8 KiB, as on a full disk: one line, exit 5, and no half checkpoint."""

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

        code, err = self.ends("train", "r.yaml", "--out", "run", preexec_fn=limit, restore_signals=False)
        self.assertEqual(code, 5, err)
        self.assertRegex(err.splitlines()[-1], r"^locus: .*checkpoints")
        self.assertEqual(list((self.folder / "run" / "checkpoints").iterdir()), [])
        self.assertIn("trained after step 8", self.train("run")[1])

    def test_a_full_disk(self):
        with tempfile.TemporaryDirectory(prefix="locus-disk-") as disk:
            mounted = subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True
            )
            if mounted.returncode != 0:
                self.skipTest("not run: a small file system cannot be mounted here")
            try:
                self.locus("train", "r.yaml", "train.steps=4", "--out", f"{disk}/run")
                good = tree(f"{disk}/run")
                left = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
                pathlib.Path(disk, "ballast").write_bytes(b"0" * (left - 4096))
                code, err = self.ends("train", "r.yaml", "--out", f"{disk}/other")
                self.assertEqual(code, 5, err)
                self.assertRegex(err, r"locus: [^\n]*No space left[^\n]*\n\Z")
                self.assertEqual(tree(f"{disk}/run"), good)
                self.assertFalse([path for path in pathlib.Path(disk).rglob("*") if ".tmp" in path.name])
                os.unlink(f"{disk}/ballast")
                self.locus("train", "r.yaml", "--out", f"{disk}/other")
            finally:
                subprocess.run(["umount", disk], check=True)


if __name__ == "__main__":
    unittest.main()
