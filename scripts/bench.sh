#!/usr/bin/env bash
# How fast is a training step? One interleaved series of FMA peak, OpenBLAS, Locus and PyTorch on this machine.
# Arguments go to scripts/bench/series.py (--help lists them).
set -euo pipefail
exec </dev/null
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

for word in "$@"; do
    case $word in -h | --help) exec /usr/bin/python3 scripts/bench/series.py --help ;; esac
done

# What these set would be measured instead of what the series sets itself.
unset LOCUS_TARGET OMP_NUM_THREADS OPENBLAS_NUM_THREADS

scripts/setup.sh program >&2
cmake --build --preset release --parallel "$(nproc)" --target bench_rates >&2
exec /usr/bin/python3 scripts/bench/series.py "$@"
