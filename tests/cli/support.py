"""What the tests of the command line share: a folder, a tiny recipe, and how commands end."""

import contextlib
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.path.abspath(os.environ.get("LOCUS", ROOT / "build" / "release" / "locus"))

RECIPE = """question: Does it carry?
data: { corpus: generated, documents: 12, document_length: 600 }
model: { layers: 1, width: 16, heads: 2 }
encoding: { kind: rope }
train: { length: 16, steps: 8, batch_tokens: 64, shards: 4, lr: 1e-3, checkpoint_every: 3, seed: 1 }
evaluate: { lengths: [16, 32], protocols: [non_overlapping, same_target], targets: 64 }
"""


def strict_json(text):
    """One JSON document, without the NaN and Infinity that Python would let pass."""

    def refuse(constant):
        raise ValueError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def tree(folder):
    """Every path below a folder with its bytes (None for a folder), the evidence that nothing was written."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(pathlib.Path(folder).rglob("*"))
    }


class CommandCase(unittest.TestCase):
    """Each test works in a new folder that holds the tiny recipe `r.yaml`."""

    maxDiff = None

    def setUp(self):
        self.stack = contextlib.ExitStack()
        self.addCleanup(self.stack.close)
        self.folder = pathlib.Path(self.stack.enter_context(tempfile.TemporaryDirectory(prefix="locus-cli-")))
        self.write("r.yaml", RECIPE)

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def start(self, *words, environment=None, **options):
        set_by_test = {"LOCUS_DATA": str(self.folder / "corpora"), "OMP_NUM_THREADS": "1"}
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        return subprocess.Popen(
            [PROGRAM, *map(str, words)],
            cwd=self.folder,
            env={**os.environ, **set_by_test, **(environment or {})},
            stdin=subprocess.DEVNULL,
            **options,
        )

    def locus(self, *words, code=0, environment=None, **options):
        """Runs a command that must end with `code`; its output as (stdout, stderr)."""
        process = self.start(*words, environment=environment, **options)
        out, err = (part.decode() if part else "" for part in process.communicate(timeout=300))
        self.assertEqual(process.returncode, code, f"{words}\n{out}{err}")
        return out, err

    def refuses(self, code, *words, says=(), environment=None, **options):
        """Ends with `code` and one line on stderr that holds all of `says`, and leaves no trace."""
        before = tree(self.folder)
        out, err = self.locus(*words, code=code, environment=environment, **options)
        self.assertEqual(out, "", words)
        self.assertRegex(err, r"\Alocus: [^\n]+\n\Z", words)
        self.assertNotIn("unexpected", err, words)
        for part in [says] if isinstance(says, str) else says:
            self.assertIn(part, err, words)
        self.assertEqual(sorted(tree(self.folder)), sorted(before), words)
        self.assertEqual(tree(self.folder), before, words)
        return err

    def train(self, out, *words, recipe="r.yaml", **options):
        return self.locus("train", recipe, *words, "--out", out, **options)

    def newest_checkpoint(self, run):
        return sorted((self.folder / run / "checkpoints").glob("step_*.h5"))[-1]

    def records(self, run):
        return [strict_json(line) for line in (self.folder / run / "metrics.jsonl").read_text().splitlines()]

    def resolved(self, *words, recipe="r.yaml", **options):
        return self.locus("train", recipe, *words, "--dry-run", **options)[0]
