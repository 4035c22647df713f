"""Positions are a choice of the data: they work with every encoding, on any number of threads."""

import unittest

from support import CommandCase, strict_json

SOURCES = {
    "packed": ["data.positions=packed", "data.document_length=40", "data.documents=40"],
    "randomized": ["data.positions=randomized", "data.max_position=64"],
    "pose": ["data.positions=pose", "data.max_position=48"],
}


class Positions(CommandCase):
    def state(self, run):
        return strict_json(self.locus("inspect", self.newest_checkpoint(run), "--json")[0])["state_hash"]

    def test_the_same_bits_on_any_number_of_threads(self):
        states = {}
        for name, changes in SOURCES.items():
            self.train(f"{name}1", *changes, "--threads", "1")
            self.train(f"{name}2", *changes, "--threads", "2")
            states[name] = self.state(f"{name}1")
            self.assertEqual(states[name], self.state(f"{name}2"), name)
            one, two = (self.locus("eval", f"{name}1", "--json", "--threads", n)[0] for n in "12")
            self.assertEqual(one, two, name)
        self.train("plain")
        self.assertEqual(len({self.state("plain"), *states.values()}), 4)

    def test_every_encoding_takes_them(self):
        for entry in strict_json(self.locus("list", "encodings", "--json")[0]):
            if 1 not in entry["axes"]:
                continue  # reads grids only
            options = {option["name"] for option in entry["options"]}
            table = ", max_length: 64" if "max_length" in options else ""
            for name, changes in SOURCES.items():
                self.train(f"{entry['name']}-{name}", f"encoding={{kind: {entry['name']}{table}}}", *changes)

    def test_tables_that_are_too_short_are_refused_before_training(self):
        for name, last in ("randomized", "63"), ("pose", "47"):
            changes = [*SOURCES[name], "encoding={kind: learned}"]
            says = ["0 to 15", last]
            self.refuses(2, "train", "r.yaml", *changes, "--out", "run", says=says)
            self.refuses(2, "train", "r.yaml", *changes, "--dry-run", says=says)
            self.assertFalse((self.folder / "run").exists())

    def test_more_tokens_than_positions_are_refused(self):
        short = ["data.positions=randomized", "data.max_position=31"]
        self.refuses(2, "train", "r.yaml", *short, "--out", "run", says=["31", "32", "evaluate.lengths"])
        self.train("run", *SOURCES["randomized"])
        self.refuses(2, "eval", "run", "--lengths", "16,65", says=["65", "64"])
        self.locus("eval", "run", "--lengths", "64")


if __name__ == "__main__":
    unittest.main()
