"""Streams that cannot be written: progress is dropped, results are an error; and terminals of every kind."""

import fcntl
import os
import sys
import pty
import re
import resource
import signal
import struct
import subprocess
import termios
import time
import unittest

from support import PROGRAM, CommandCase, tree

with open(PROGRAM, "rb") as program:
    SANITIZED = b"__asan_init" in program.read()

SEARCH = """data: {corpus: generated, documents: 12, document_length: 600, valid: 0.3, test: 0.3}
from: {run: run}
train: {steps: 0}
search: {factor: 2, population: 4, parents: 2, mutations: 1, crossovers: 1, iterations: 1, windows: 2, test_windows: 2}
"""


class Unwritable:
    """Options for a process whose stream cannot be written."""

    KINDS = ["full", "closed", "broken"]

    def __init__(self, stream, kind):
        self.stream, self.kind, self.number = stream, kind, {"stdout": 1, "stderr": 2}[stream]

    def __enter__(self):
        if self.kind == "closed":
            return {self.stream: None, "preexec_fn": lambda: os.close(self.number)}
        if self.kind == "full":
            self.file = os.open("/dev/full", os.O_WRONLY)
        elif self.kind == "broken":
            read, self.file = os.pipe()
            os.close(read)
        else:  # a terminal that is gone
            master, self.file = pty.openpty()
            os.close(master)
        return {self.stream: self.file}

    def __exit__(self, *_):
        if self.kind != "closed":
            os.close(self.file)


class Streams(CommandCase):
    def setUp(self):
        super().setUp()
        self.write("s.yaml", SEARCH)
        self.write("text.txt", "Some text, and then some more of it.\n" * 40)
        self.train("run", "data={corpus: generated, documents: 12, document_length: 600, valid: 0.3, test: 0.3}")

    def test_messages_that_cannot_be_written_are_dropped(self):
        vary = "vary={train.seed: [0, 1]}"
        for words in [
            ["train", "r.yaml", "--out", "OUT/run"],
            ["run", "r.yaml", vary, "--out", "OUT"],
            ["eval", "run", "--lengths", "16", "--protocol", "non_overlapping"],
            ["search", "s.yaml", "--out", "OUT"],
            ["data", "build", "text.txt", "--out", "OUT.h5"],
            ["sample", "run", "--prompt", "a", "--tokens", "3", "--json", "--rate"],
        ]:
            results = set()
            for kind in ["", *Unwritable.KINDS, "terminal"]:
                here = [word.replace("OUT", f"{words[0]}-{kind or 'plain'}") for word in words]
                if not kind:
                    out, _ = self.locus(*here)
                else:
                    with Unwritable("stderr", kind) as stream:
                        process = self.start(*here, **stream)
                        out = process.communicate(timeout=60)[0].decode()
                        self.assertEqual(process.returncode, 0, here)
                results.add(re.sub(rf"{words[0]}-\w+", "OUT", out))
            self.assertEqual(len(results), 1, words)
        whole = tree(self.folder / "train-plain" / "run" / "checkpoints")
        for kind in [*Unwritable.KINDS, "terminal"]:  # and no message went into a file of the work
            self.assertEqual(tree(self.folder / f"train-{kind}" / "run" / "checkpoints"), whole, kind)

    def test_an_error_that_cannot_be_told_has_its_code(self):
        for kind in Unwritable.KINDS:
            with Unwritable("stderr", kind) as stream:
                for code, words in (2, ["nonsense"]), (2, []), (5, ["eval", "nowhere"]), (3, ["data", "info", "x.h5"]):
                    process = self.start(*words, **stream)
                    process.communicate(timeout=60)
                    self.assertEqual(process.returncode, code, words)

    def test_results_that_cannot_be_written_are_an_error(self):
        vary = "vary={train.seed: [0, 1]}"
        for kind in Unwritable.KINDS:
            for words in [
                ["--help"],
                ["help", "train"],
                ["version"],
                ["list", "encodings"],
                ["card", "r.yaml", "--json"],
                ["inspect", "run/checkpoints/step_00000008.h5"],
                ["verify", "r.yaml"],
                ["eval", "run", "--lengths", "16", "--protocol", "non_overlapping"],
                ["sample", "run", "--prompt", "a", "--tokens", "3"],
                ["run", "r.yaml", vary, "--out", "all"],
                ["table", "all"],
            ]:
                with Unwritable("stdout", kind) as stream:
                    process = self.start(*words, **stream)
                    err = process.communicate(timeout=60)[1].decode()
                self.assertEqual(process.returncode, 5, f"{words}\n{err}")
                self.assertRegex(err.splitlines()[-1], r"^locus: stdout: the results could not be written: \w", words)
                self.assertNotIn("unexpected", err)
            self.assertTrue((self.folder / "all" / "table.md").exists())  # the work was done
            with Unwritable("stdout", kind) as stream:  # no results: no error
                process = self.start("train", "r.yaml", "--out", "silent", **stream)
                process.communicate(timeout=60)
                self.assertEqual(process.returncode, 0)

    def test_a_limit_of_file_sizes(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))

        process = self.start("data", "build", "text.txt", "--out", "x.h5", preexec_fn=limit)
        err = process.communicate(timeout=60)[1].decode()
        self.assertEqual(process.returncode, 3, err)
        self.assertRegex(err, r"\Alocus: [^\n]*File too large\n\Z")
        self.assertFalse((self.folder / "x.h5").exists())


class Terminals(CommandCase):
    def screen(self, *words, kind, columns):
        """What a terminal of this kind and width gets to see."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = self.start(*words, environment={"TERM": kind}, stdout=subprocess.DEVNULL, stderr=slave)
        os.close(slave)
        seen = b""
        try:
            while piece := os.read(master, 65536):
                seen += piece
        except OSError:  # the end of a terminal
            pass
        os.close(master)
        self.assertEqual(process.wait(timeout=60), 0)
        return seen.decode()

    def test_plain_lines_where_nothing_can_be_overwritten(self):
        for kind in "dumb", "":
            seen = self.screen("train", "r.yaml", "--out", f"run-{kind}", kind=kind, columns=80)
            self.assertNotIn("\033", seen)
            self.assertIn("step 1/8", seen)
        self.assertIn("\033[K", self.screen("train", "r.yaml", "--out", "run", kind="xterm", columns=80))

    def test_control_bytes_are_shown_and_not_obeyed(self):
        self.train("run", "train.steps=1")
        words = ["sample", "run", "--prompt", "a", "--tokens", "2000", "--length", "16", "--temperature", "5"]
        plain = self.start(*words).communicate(timeout=60)[0]  # a pipe gets the bytes as they are
        self.assertIn(b"\033", plain)
        master, slave = pty.openpty()
        process = self.start(*words, stdout=slave)
        os.close(slave)
        seen = b""
        try:
            while piece := os.read(master, 65536):
                seen += piece
        except OSError:  # the end of a terminal
            pass
        os.close(master)
        self.assertEqual(process.wait(timeout=60), 0)
        self.assertIn(b"\\x1b", seen)
        for character in seen.replace(b"\r\n", b"\n").decode():
            self.assertFalse(ord(character) < 32 and character not in "\n\t" or 127 <= ord(character) < 160, seen)
        for words in ["eval", "no\033[31mwhere"], ["card", "a\x9bb\x07.yaml"]:
            process = self.start(*words)
            self.assertNotRegex(process.communicate(timeout=60)[1], b"[\\x00-\\x08\\x0b-\\x1f\\x7f]")

    def test_what_matters_most_is_seen_on_a_narrow_terminal(self):
        name = "über" * 20  # neither cut within a character nor wider than the screen
        words = ["r.yaml", "train.steps=600", "--out", name]
        seen = self.screen("train", *words, kind="xterm", columns=40)
        lines = [line for line in re.split(r"\r\n|\r\033\[K", seen) if line.startswith("step")]
        self.assertTrue(lines)
        for line in lines:
            self.assertLessEqual(len(line), 39)
            self.assertRegex(line, r"^step \d+/600  [\d:]+ left  loss \d")
        vary = "vary={train.seed: [0, 1]}"
        seen = self.screen("run", "r.yaml", vary, "train.steps=600", "--out", "all", kind="xterm", columns=60)
        self.assertRegex(seen, r"\r\033\[K\[2/2, all: [\d:]+ left\] step \d+/600  [\d:]+ left")

    def test_interrupting_a_pipeline(self):
        """`locus ... |& tee log`, and Ctrl-C for both: the reader is gone before the last words are written."""
        read, write = os.pipe()
        process = self.start("train", "r.yaml", "train.steps=1000000", "--out", "run", stdout=write, stderr=write)
        os.close(write)
        log = self.folder / "run" / "metrics.jsonl"
        while not log.exists() or log.stat().st_size == 0:
            time.sleep(0.01)
        os.close(read)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=30), 75)
        self.newest_checkpoint("run")


class Words(CommandCase):
    def test_version_and_help(self):
        self.assertEqual(self.locus("--version"), self.locus("version"))
        for command in "train", "run", "eval", "table", "card", "verify", "sample", "search", "data", "list":
            self.assertEqual(self.locus("help", command), self.locus(command, "--help"))
        self.assertEqual(self.locus("help", "data", "build"), self.locus("data", "build", "--help"))
        self.refuses(2, "help", "nonsense", says="no command 'nonsense'")


class Threads(CommandCase):
    def setUp(self):
        super().setUp()
        _, err = self.locus("verify", "r.yaml", "--threads", 2**40, code=2)
        self.cores = int(re.search(r"may use (\d+) core", err)[1])

    def test_too_many(self):
        for command in ["train", "r.yaml", "--out", "x"], ["verify", "r.yaml"], ["run", "r.yaml", "vary={train.seed: [0]}", "--out", "x"]:
            for number in 4 * self.cores + 1, 100000, 2**40:
                self.refuses(2, *command, "--threads", number, says=["--threads", str(number), f"at most {4 * self.cores}"])

    def test_an_inherited_number_is_cut(self):
        inherited = {"OMP_NUM_THREADS": "999999"}
        words = ["data={corpus: generated, documents: 12, document_length: 600}", "train.shards=4"]
        _, err = self.train("run", *words, environment=inherited)
        self.assertEqual(len(re.findall("OMP_NUM_THREADS is 999999", err)), 1, err)
        self.locus("eval", "run", environment=inherited)

    def test_more_than_shards(self):
        _, err = self.train("run", "train.shards=1", "--threads", "2")
        self.assertRegex(err, r"threads: 1 taken, not 2: a step has 1 shard \(train.shards 1, 4 sequences\)")
        _, err = self.locus("run", "r.yaml", "vary={train.seed: [0]}", "train.shards=1", "--threads", "2", "--out", "all")
        self.assertRegex(err, r"training uses 1 of 2")

    def test_more_than_cores(self):
        if self.cores > 3:
            self.skipTest("not run: a step of four shards has no threads beyond these cores")
        _, err = self.train("run", "--threads", self.cores + 1)
        self.assertIn(f"threads: {self.cores + 1} on {self.cores}", err)

    @unittest.skipIf(SANITIZED, "not run: sanitizers take more addresses than any limit")
    def test_a_thread_that_cannot_be_made(self):
        gibibyte = 1 << 30

        def limit():  # of stacks, which a thread takes from the addresses
            resource.setrlimit(resource.RLIMIT_STACK, (4 * gibibyte, resource.RLIM_INFINITY))
            resource.setrlimit(resource.RLIMIT_AS, (6 * gibibyte, resource.RLIM_INFINITY))

        self.train("run")
        for words in ["train", "r.yaml", "--out", "x"], ["eval", "run"]:
            process = self.start(*words, "--threads", "4", preexec_fn=limit)
            _, err = process.communicate(timeout=20)
            self.assertEqual(process.returncode, 5, err)
            self.assertRegex(err.decode().splitlines()[-1], r"^locus: threads: \d of 4 could be made, then: ")

    @unittest.skipIf(SANITIZED, "not run: sanitizers make threads of their own")
    @unittest.skipIf(os.geteuid() != 0, "not run: only root can become a user that has no other process")
    def test_processes_that_are_not_allowed(self):
        self.write("s.yaml", SEARCH)
        self.write("text.txt", "Some text, and then some more of it.\n" * 40)
        self.train("run", "data={corpus: generated, documents: 12, document_length: 600, valid: 0.3, test: 0.3}")
        self.locus("run", "r.yaml", "--out", "all")
        for path in [self.folder, *self.folder.rglob("*")]:
            path.chmod(0o777)

        def alone():
            os.setgroups([])
            os.setgid(54321)
            os.setuid(54321)
            resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))

        for code, words in [
            (5, ["train", "r.yaml", "--out", "x", "--threads", "4"]),
            (5, ["run", "r.yaml", "--out", "x", "--threads", "4"]),
            (5, ["eval", "run", "--threads", "4"]),
            (5, ["search", "s.yaml", "--out", "x", "--threads", "4"]),
            (5, ["verify", "r.yaml", "--threads", "4"]),
            (0, ["train", "r.yaml", "--out", "new", "--threads", "1"]),
            (0, ["eval", "run", "--threads", "1"]),
            (0, ["table", "all"]),
            (0, ["sample", "run", "--prompt", "a", "--tokens", "3"]),
            (0, ["logits", "run", "--text", "abc", "--out", "x.npy"]),
            (0, ["data", "build", "text.txt", "--out", "x.h5"]),
        ]:
            process = self.start(*words, preexec_fn=alone)
            _, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, code, (words, err))
            if code != 0:
                self.assertRegex(err.decode().splitlines()[-1], r"^locus: threads: 1 of 4 could be made, then: ", words)
            self.assertNotIn(b"unexpected", err, words)

    @unittest.skipIf(SANITIZED, "not run: sanitizers take more addresses than any limit")
    def test_little_memory(self):
        """No thread of a library spins for memory, during the work or at its end."""
        self.train("run")
        for megabytes in 120, 150, 200, 300:

            def limit(bytes=megabytes * 1000 * 1024):
                resource.setrlimit(resource.RLIMIT_AS, (bytes, bytes))

            for words in ["train", "r.yaml", "--out", f"run{megabytes}"], ["eval", "run"], ["version"]:
                process = self.start(*words, preexec_fn=limit)
                _, err = process.communicate(timeout=20)
                self.assertIn(process.returncode, (0, 2, 5), err)
                self.assertNotIn(b"unexpected", err)

    def test_few_open_files(self):
        self.write("text.txt", "Some text, and then some more of it.\n" * 40)
        self.locus("run", "r.yaml", "--out", "all")
        for files in 4, 5, 6, 8, 12:
            for words in ["train", "r.yaml", "--out", f"run{files}"], ["eval", "all/r"], ["run", "r.yaml", "--out", f"all{files}"], \
                    ["table", "all"], ["verify", "r.yaml"], ["data", "build", "text.txt", "--out", f"text{files}.h5"]:
                process = self.start(*words, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files)))
                _, err = process.communicate(timeout=60)
                self.assertIn(process.returncode, (0, 1, 3, 5), (files, words, err))
                self.assertNotIn(b"unexpected", err, (files, words))
                self.assertFalse([path for path in self.folder.rglob("*.tmp-*")], (files, words))
        self.assertIn("bits", self.locus("table", "all")[0])

    def test_a_library_starts_no_threads(self):
        process = self.start("train", "r.yaml", "train.steps=1000000", "--out", "run", "--threads", "1")
        while not (self.folder / "run" / "metrics.jsonl").exists():
            time.sleep(0.01)
        self.assertEqual(len(os.listdir(f"/proc/{process.pid}/task")), 1)
        with open(f"/proc/{process.pid}/comm", encoding="utf-8") as name:
            self.assertEqual(name.read().strip(), os.path.basename(PROGRAM)[:15])
        process.terminate()
        process.communicate(timeout=20)


if __name__ == "__main__":
    if not os.environ.get("LOCUS_FAULTS"):
        print("not run: under the sanitizers neither seconds nor limits of memory mean what they do elsewhere")
        sys.exit(77)
    unittest.main()
