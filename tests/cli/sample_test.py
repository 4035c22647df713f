"""locus sample: text on stdout and nothing else, the same with and without a cache, refusals before any work."""

import unittest

from support import CommandCase, strict_json


class Sample(CommandCase):
    def setUp(self):
        super().setUp()
        self.train("run")

    def bytes_of(self, *words, run="run"):
        process = self.start("sample", run, "--prompt", "the cat", *words)
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, err), (0, b""), words)
        return out

    def document(self, *words, run="run"):
        return strict_json(self.locus("sample", run, "--prompt", "the cat", "--json", *words)[0])

    def test_prints_as_many_bytes_as_tokens(self):
        for words in [], ["--greedy"], ["--temperature", "0.5", "--top-k", "3"], ["--top-p", "0.5"]:
            self.assertEqual(len(self.bytes_of("--tokens", "23", *words)), 23)

    def test_json_is_the_text(self):
        found = self.document("--tokens", "20", "--seed", "5")
        self.assertLessEqual(
            {"prompt", "text", "tokens", "nats", "prompt_tokens", "step", "length", "cache", "seed"}, set(found)
        )
        self.assertEqual(bytes(found["tokens"]), self.bytes_of("--tokens", "20", "--seed", "5"))
        self.assertEqual(len(found["nats"]), 20)
        self.assertEqual((found["step"], found["prompt_tokens"], found["length"]), (8, 7, 27))
        self.assertEqual(self.document("--tokens", "3", "--length", "grow")["length"], "grow")

    def test_cache_and_chunks_change_nothing(self):
        for kind in "rope", "alibi", "t5", "sinusoidal", "nope":
            self.train(kind, f"encoding={{kind: {kind}}}", "mask.window=6", "mask.global=2")
            for length in [], ["--length", "grow"]:
                words = ["--tokens", "30", "--seed", "3", "--json", *length]
                cached, whole, chunked = (
                    strict_json(self.locus("sample", kind, "--prompt", "the cat", *words, *more)[0])
                    for more in ([], ["--no-cache"], ["--chunk", "3"])
                )
                for other in whole, chunked:
                    self.assertEqual(cached["tokens"], other["tokens"])
                    for a, b in zip(cached["nats"], other["nats"]):
                        self.assertAlmostEqual(a, b, delta=1e-5)

    def test_windows_and_sinks_of_the_cache(self):
        words = ["--tokens", "30", "--seed", "3"]
        plain = self.document(*words)
        all_seen = self.document(*words, "--window", "6", "--sinks", "40")
        self.assertEqual((all_seen["window"], all_seen["sinks"]), (6, 40))
        self.assertEqual(all_seen["tokens"], plain["tokens"])
        for a, b in zip(all_seen["nats"], plain["nats"]):
            self.assertAlmostEqual(a, b, delta=1e-5)
        narrow, sunk = self.document(*words, "--window", "2"), self.document(*words, "--window", "2", "--sinks", "1")
        self.assertNotEqual(narrow["nats"], plain["nats"])
        self.assertNotEqual(narrow["nats"], sunk["nats"])
        self.refuses_words("--tokens", "4", "--sinks", "2", says="without a window")
        self.refuses_words("--tokens", "4", "--window", "0", says="--window")
        self.refuses_words("--tokens", "4", "--window", "2", "--no-cache", says=["--window", "--no-cache"])

    def test_seeds(self):
        one, again, other = (self.bytes_of("--tokens", "30", "--seed", seed) for seed in "112")
        self.assertEqual(one, again)
        self.assertNotEqual(one, other)
        self.assertEqual(self.bytes_of("--tokens", "30", "--seed", "1")[:10], one[:10])
        self.assertEqual(self.bytes_of("--tokens", "9"), self.bytes_of("--tokens", "9", "--seed", "0"))

    def test_the_rate_is_told_on_stderr(self):
        for words, cache in ((), "with the cache"), (("--no-cache",), "without a cache"):
            process = self.start("sample", "run", "--prompt", "a", "--tokens", "7", "--rate", *words)
            out, err = process.communicate()
            self.assertEqual((process.returncode, len(out)), (0, 7))
            self.assertRegex(err.decode(), r"^7 tokens in \d+\.\d\d s, \d+ tokens/s " + cache + "\n$")

    def test_one_candidate_is_greedy(self):
        greedy = self.bytes_of("--tokens", "12", "--greedy")
        self.assertEqual(self.bytes_of("--tokens", "12", "--top-k", "1"), greedy)
        self.assertEqual(self.bytes_of("--tokens", "12", "--top-p", "1e-9", "--seed", "4"), greedy)

    def test_a_length_without_meaning_is_said_to_be_so(self):
        out, err = self.locus("sample", "run", "--prompt", "a", "--tokens", "1", "--greedy", "--length", "64")
        self.assertIn("does not vary by length", err)

    def refuses_words(self, *words, says):
        self.refuses(2, "sample", "run", "--prompt", "ab", *words, says=says)

    def test_refuses_words(self):
        self.refuses(2, "sample", "run", "--tokens", "4", says="--prompt is missing")
        self.refuses(2, "sample", "run", "--prompt", "", "--tokens", "4", says="--prompt is empty")
        self.refuses_words(says="--tokens is missing")
        for tokens in "0", "-1", "x", "1.5":
            self.refuses_words(f"--tokens={tokens}", says="--tokens")
        four = ["--tokens", "4"]
        for temperature in "0", "-1", "nan", "inf", "x", "":
            self.refuses_words(*four, f"--temperature={temperature}", says="temperature")
        for k in "0", "257", "x":
            self.refuses_words(*four, f"--top-k={k}", says="top")
        for p in "0", "1.01", "-1", "x":
            self.refuses_words(*four, f"--top-p={p}", says="top")
        for words in ["--temperature", "1"], ["--top-k", "2"], ["--top-p", "0.5"], ["--seed", "1"]:
            self.refuses_words(*four, "--greedy", *words, says=["--greedy", words[0]])
        self.refuses_words(*four, "--no-cache", "--chunk", "2", says=["--chunk", "--no-cache"])
        for length in "0", "shrink", "1.5":
            self.refuses_words(*four, f"--length={length}", says=["--length", "grow"])
        self.refuses_words(*four, "train.lr=1", says="found 2")

    def test_refuses_what_a_table_cannot_hold(self):
        self.train("table", "encoding={kind: learned}")  # 16 rows
        for prompt, tokens in ("0123456789", "7"), ("0123456789abcdefX", "1"):
            total = str(len(prompt) + int(tokens))
            says = [str(len(prompt)), total, "16"]
            for more in [], ["--no-cache"], ["--chunk", "3"]:
                self.refuses(2, "sample", "table", "--prompt", prompt, "--tokens", tokens, *more, says=says)
        held = self.locus("sample", "table", "--prompt", "0123", "--tokens", "12", "--json")[0]
        self.assertEqual(len(strict_json(held)["tokens"]), 12)

    def test_refuses_what_is_no_run(self):
        self.refuses(5, "sample", "nowhere", "--prompt", "a", "--tokens", "1", says="nowhere")
        checkpoint = self.newest_checkpoint("run")
        checkpoint.write_bytes(checkpoint.read_bytes()[:100])
        for other in (self.folder / "run" / "checkpoints").glob("step_*.h5"):
            other.write_bytes(b"nothing")
        self.refuses(5, "sample", "run", "--prompt", "a", "--tokens", "1", says="run")

    def test_a_full_pipe_end_is_a_failure(self):
        with open("/dev/full", "wb") as full:
            process = self.start("sample", "run", "--prompt", "a", "--tokens", "3", stdout=full)
            _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 5)
        self.assertIn(b"stdout", err)


if __name__ == "__main__":
    unittest.main()
