#!/usr/bin/env python3
"""One interleaved series on this machine: FMA peak, OpenBLAS, the training step of Locus, PyTorch; medians and ratios.

Every repeat measures everything once, so that a slow minute hits all alike; a figure is the median over the
repeats, a ratio that of two such medians. Figures of other machines or days are no match for these.
PyTorch comes from $LOCUS_TORCH_PYTHON, else /usr/bin/python3. Called by scripts/bench.sh, which builds first.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import pytorch
import report

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "release"
WARM_UP = 2  # steps of Locus that fill memory and caches

# layers, width, heads, length, sequences of a batch
CONFIGURATIONS = [(3, 64, 4, 64, 32), (4, 128, 4, 128, 32), (4, 256, 4, 256, 16), (6, 256, 8, 512, 8), (4, 256, 4, 2048, 2)]

RECIPE = """data: {{ corpus: generated, documents: 64, document_length: 16384 }}
model: {{ layers: {layers}, width: {width}, heads: {heads} }}
encoding: {{ kind: rope }}
train: {{ length: {length}, batch_tokens: {tokens}, steps: {steps}, lr: 1e-3, checkpoint_every: 1000000 }}
evaluate: {{ lengths: [{length}] }}
"""


class NotRun(Exception):
    """Why something could not be measured."""


class Configuration:
    def __init__(self, layers, width, heads, length, batch):
        self.layers, self.width, self.heads, self.length, self.batch = layers, width, heads, length, batch
        self.name = f"{layers}x{width}x{heads}, {length}, {batch}"
        self.tokens = length * batch
        shards = 1
        while 2 * shards <= min(16, batch):
            shards *= 2
        self.rows = self.tokens // shards  # of the matrix products of Locus: a shard's tokens
        self.flops_per_token = None  # as Locus counts them
        self.parameters = None


def run(words, environment=None):
    """The output of a program that must succeed."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          env={**os.environ, **(environment or {})}, check=False)
    if done.returncode != 0:
        raise NotRun((done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1])
    return done.stdout


def rates(*words, environment=None):
    return json.loads(run([BUILD / "tests" / "bench" / "bench_rates", *words], environment))


def core_types():
    """What OpenBLAS may be told that this processor is: names of its kernels, None for its own choice."""
    flags = set()
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith(("flags", "Features")):
            flags = set(line.split(":", 1)[1].split())
            break
    types = [None]
    if "avx2" in flags and "fma" in flags:
        types += ["Haswell", "Zen"]
    if "avx512f" in flags and "avx512vl" in flags:
        types += ["SkylakeX"] + (["Cooperlake"] if "avx512_bf16" in flags else [])
    return types


def sgemm(config, threads, core_type, milliseconds):
    environment = {} if core_type is None else {"OPENBLAS_CORETYPE": core_type}
    found = rates("sgemm", threads, milliseconds, config.rows, config.width, 4 * config.width, 256,
                  environment=environment)
    if found["error"] > 1e-4:
        raise NotRun(f"wrong results: error {found['error']:.1g}")
    return found["flops_per_second"]


def locus_step(config, threads, steps, words=(), environment=None):
    """Tokens per second of a step, data included: the median over the steps after the first two."""
    with tempfile.TemporaryDirectory(prefix="locus-bench-") as folder:
        recipe = pathlib.Path(folder, "recipe.yaml")
        recipe.write_text(RECIPE.format(**vars(config), steps=steps + WARM_UP))
        out = pathlib.Path(folder, "run")
        run([BUILD / "locus", "train", recipe, "--out", out, "--threads", threads, *words], environment)
        records = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
        manifest = json.loads((out / "manifest.json").read_text())
    config.flops_per_token = manifest["flops"] / manifest["tokens"]
    config.parameters = manifest["parameters"]
    return statistics.median(record["tokens_per_second"] for record in records[WARM_UP:])


def variants_of(config, threads, steps, options):
    """Everything that a repeat measures of a configuration: (name, function without arguments)."""
    milliseconds = int(250 * options.seconds)
    variants = [("peak", lambda: rates("peak", threads, milliseconds)["flops_per_second"])]
    for core_type in core_types():
        name = f"sgemm {core_type or 'default'}"
        variants.append((name, lambda t=core_type: sgemm(config, threads, t, milliseconds)))
        variants.append((f"{name}, 1 thread", lambda t=core_type: sgemm(config, 1, t, milliseconds)))
    variants.append(("locus", lambda: locus_step(config, threads, steps)))
    if threads > 1:
        variants.append(("locus, 1 thread", lambda: locus_step(config, 1, steps)))
    variants.append(("locus, bf16", lambda: locus_step(config, threads, steps, ["train.precision=bf16"])))
    variants.append(("locus, OpenBLAS", lambda: locus_step(config, threads, steps, ["--gemm", "openblas"])))
    limit = {"LOCUS_TARGET": "avx2"}
    variants.append(("locus, LOCUS_TARGET=avx2", lambda: locus_step(config, threads, steps, environment=limit)))
    for name, measure in pytorch.variants(config, threads, steps):
        variants.append((name, measure))
    return variants


def measure(config, threads, options):
    """Samples of every variant, and why one has none."""
    rate = locus_step(config, threads, 4)
    steps = max(5, round(options.seconds * rate / config.tokens))
    samples, refused = {}, {}
    variants = variants_of(config, threads, steps, options)
    for repeat in range(options.repeats):
        for name, function in variants:
            if name in refused:
                continue
            print(f"{config.name}: repeat {repeat + 1} of {options.repeats}: {name}", file=sys.stderr, flush=True)
            try:
                samples.setdefault(name, []).append(function())
            except (NotRun, pytorch.NotRun) as reason:
                samples.pop(name, None)
                refused[name] = str(reason)
    return {"name": config.name, "steps": steps, "parameters": config.parameters,
            "flops_per_token": config.flops_per_token, "samples": samples, "not_run": refused}


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench.sh", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3, help="at least 3 (default: 3)")
    parser.add_argument("--seconds", type=float, default=3, help="about how long a step is measured (default: 3)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="default: all cores")
    parser.add_argument("--only", type=int, action="append", metavar="N",
                        help=f"the N-th configuration, 1 to {len(CONFIGURATIONS)}; may be given again (default: all)")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "bench" / "series.json",
                        help="the document with every sample (default: build/bench/series.json)")
    options = parser.parse_args()
    if options.repeats < 3 or options.seconds <= 0 or options.threads < 1:
        parser.error("expected --repeats of at least 3, --seconds above 0 and --threads of at least 1")
    chosen = options.only or range(1, len(CONFIGURATIONS) + 1)
    if not all(1 <= number <= len(CONFIGURATIONS) for number in chosen):
        parser.error(f"--only: expected 1 to {len(CONFIGURATIONS)}")

    about = json.loads(run([BUILD / "locus", "version", "--json"]))
    series = {"machine": about, "threads": options.threads, "repeats": options.repeats,
              "torch": pytorch.version(), "load": os.getloadavg()[0], "configurations": []}
    for number in chosen:
        config = Configuration(*CONFIGURATIONS[number - 1])
        series["configurations"].append(measure(config, options.threads, options))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(series, indent=1) + "\n")
    print(report.text(series))
    print(f"every sample: {options.out}", file=sys.stderr)


if __name__ == "__main__":
    main()
