"""The README's list of encodings is the registry, and its commands are those of the program."""
import json
import re
import subprocess
import unittest
from pathlib import Path

import support

ROOT = Path(__file__).resolve().parents[2]


class Readme(unittest.TestCase):
    def setUp(self):
        self.text = (ROOT / "README.md").read_text(encoding="utf-8")

    def test_encodings(self):
        section = self.text.split("## Encodings")[1].split("\n## ")[0]
        named = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
        listed = subprocess.run([support.PROGRAM, "list", "encodings", "--json"], capture_output=True, text=True, check=True)
        self.assertEqual(sorted(named), sorted(entry["name"] for entry in json.loads(listed.stdout)))

    def test_commands(self):
        named = set(re.findall(r"^    locus (\w+) ", self.text, re.MULTILINE))
        for command in named:
            shown = subprocess.run([support.PROGRAM, command, "--help"], capture_output=True, text=True)
            self.assertEqual(shown.returncode, 0, command)
        self.assertGreaterEqual(len(named), 8)

    def test_recipes_exist(self):
        for path in re.findall(r"recipes/[\w/]+\.yaml", self.text):
            self.assertTrue((ROOT / path).is_file(), path)


if __name__ == "__main__":
    unittest.main()
