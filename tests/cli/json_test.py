"""--json prints one document with the promised keys, and nothing else, on stdout."""

import unittest

from support import CommandCase, strict_json


class Json(CommandCase):
    def document(self, *words):
        return strict_json(self.locus(*words)[0])

    def has(self, found, *keys):
        self.assertLessEqual(set(keys), set(found))

    def test_eval(self):
        self.train("run")
        protocols = "non_overlapping,sliding:8,per_position,same_target"
        runs = self.document(
            "eval", "run", "--json", "--protocol", protocols, "--lengths", "16,32,64", "--split", "test"
        )["runs"]
        self.assertEqual([run["protocol"] for run in runs], protocols.split(","))
        for run in runs:
            self.has(run, "protocol", "split", "unit", "bos", "tail", "documents", "results")
            self.assertEqual(run["split"], "test")
            self.assertTrue(run["results"])
            for result in run["results"]:
                self.has(
                    result,
                    "nats_per_token",
                    "bits_per_byte",
                    "perplexity",
                    "tokens",
                    "interval",
                    "interval_method",
                    "state",
                )
                self.assertTrue({"length", "context", "bin"} & set(result))
        self.assertTrue(all("gain" in result for result in runs[3]["results"]))

    def test_the_evaluations_of_a_run_are_those_of_its_recipe(self):
        self.locus("run", "r.yaml", "--out", "all")
        kept = (self.folder / "all" / "r" / "evaluations" / "summary.json").read_bytes()
        self.document("eval", "all/r", "--lengths", "64", "--json")
        self.assertEqual((self.folder / "all" / "r" / "evaluations" / "summary.json").read_bytes(), kept)
        self.document("eval", "all/r", "--json")
        self.assertEqual((self.folder / "all" / "r" / "evaluations" / "summary.json").read_bytes(), kept)

    def test_card(self):
        common = ["kind", "options", "conventions", "parameters"]
        card = self.document("card", "r.yaml", "--json", "--positions", "0,1,5")
        self.has(
            card, *common, "base", "length", "inv_freq", "magnitude", "logit_scale", "positions", "cos", "sin"
        )
        self.assertEqual((card["kind"], card["positions"], len(card["cos"])), ("rope", [0, 1, 5], 3))
        self.assertEqual(card["inv_freq"][0], 1.0)
        card = self.document("card", "r.yaml", "encoding={kind: alibi}", "model.heads=8", "--json")
        self.has(card, *common, "slopes")
        self.assertEqual(card["slopes"], [2.0**-k for k in range(1, 9)])
        self.train("run", "encoding={kind: t5}")
        self.has(self.document("card", "run", "--json"), *common, "distances", "rows", "bias")
        card = self.document("card", self.newest_checkpoint("run"), "--json")
        self.assertEqual(len(card["bias"]), 2)
        self.assertEqual(card, self.document("card", "run", "--json"))

    def test_inspect(self):
        self.train("run")
        found = self.document("inspect", self.newest_checkpoint("run"), "--json")
        self.has(found, "kind", "version", "step", "datasets", "parameters_hash", "state_hash")
        self.assertEqual(found["step"], 8)
        for dataset in found["datasets"]:
            self.has(dataset, "name", "shape", "checksum")
        self.assertRegex(found["parameters_hash"] + found["state_hash"], r"^[0-9a-f]{64}$")

    def test_list_and_version(self):
        names = [entry["name"] for entry in self.document("list", "encodings", "--json")]
        self.assertLessEqual({"alibi", "learned", "nope", "rope", "sinusoidal", "t5"}, set(names))
        for what in "rules", "tasks", "presets", "recipes":
            self.assertIsInstance(self.document("list", what, "--json"), list)
        presets = {entry["name"]: entry for entry in self.document("list", "presets", "--json")}
        self.assertEqual(presets["rope@gpt-neox"]["kind"], "rope")
        decided = {"base": 10000.0, "fraction": 0.25, "fraction_form": "partial", "pairing": "half_split"}
        self.assertLessEqual(decided.items(), presets["rope@gpt-neox"]["options"].items())
        self.assertEqual(presets["rope@gpt-neox"]["options"]["scaling.type"], "plain")
        self.assertEqual(presets["t5@t5"]["options"]["logits"], "unscaled")
        self.has(self.document("version", "--json"), "version", "compiler", "commit", "cpu")

    def test_tasks(self):
        for entry in self.document("list", "tasks", "--json"):
            self.has(entry, "name", "doc", "options")
            for option in entry["options"]:
                self.has(option, "name", "type", "bounds", "default", "doc")
            shown = self.document("data", "show", entry["name"], "length=70", "items=2", "part=train", "--json")
            self.assertEqual(shown["task"], entry["name"])
            self.assertEqual(set(shown["options"]), {option["name"] for option in entry["options"]})
            self.assertLessEqual({"chance", "majority", "shortest", "vocabulary", "answer_set"}, set(shown))
            self.assertEqual(len(shown["items"]), 2)
            for item in shown["items"]:
                self.assertEqual((len(item["tokens"]), len(item["without"])), (70, 70))
                answers = [item["tokens"][place] for place in item["answers"]]
                self.assertLessEqual(set(answers), set(shown["answer_set"]))
                between = "" if entry["name"] == "passkey" else " "
                text = [shown["vocabulary"][token] for token in item["tokens"]]
                self.assertEqual(item["text"].replace("[", "").replace("]", ""), between.join(text))
                self.assertEqual(item["prompt"], between.join(text[: item["answers"][0]]))
                self.assertEqual(item["answer"], between.join(shown["vocabulary"][a] for a in answers))

    def test_tasks_as_text(self):
        shown = self.locus("data", "show", "copy", "length=6", "items=1", "part=train")[0]
        self.assertIn("prompt       _ s7 s13 = [s7 s13]\n  answer       s7 s13\n  no evidence  _ s7 s9 = [s7 s13]", shown)

    def test_run_folder(self):
        self.train("run", "train.validate_every=4")
        manifest = strict_json((self.folder / "run" / "manifest.json").read_text())
        self.has(manifest, "threads", "resumed_from", "seconds", "peak_memory", "state")
        records = self.records("run")
        for record in records:
            self.has(record, "step", "tokens", "loss", "lr", "grad_norm", "seconds", "tokens_per_second")
            self.assertEqual("valid_loss" in record, record["step"] % 4 == 0)
        self.assertEqual([record["tokens"] for record in records], [64 * step for step in range(1, 9)])
        self.assertEqual(
            [record["seconds"] for record in records], sorted(record["seconds"] for record in records)
        )


if __name__ == "__main__":
    unittest.main()
