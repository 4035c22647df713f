"""The README's list of encodings is the registry, its commands are those of the program, and what the pages lead to is there."""
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

    def test_what_pages_lead_to_exists(self):
        pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
        for page in pages:
            text = page.read_text(encoding="utf-8")
            for path in re.findall(r"recipes/[\w/]+\.yaml", text):
                self.assertTrue((ROOT / path).is_file(), f"{page}: {path}")
            for path in re.findall(r"\]\(([^)#:]+)\)", text):
                self.assertTrue((page.parent / path).exists(), f"{page}: {path}")

    def test_every_page_is_led_to(self):
        for page in (ROOT / "docs").glob("*.md"):
            self.assertTrue(f"(docs/{page.name})" in self.text, f"README.md does not lead to docs/{page.name}")


if __name__ == "__main__":
    unittest.main()
