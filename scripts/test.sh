#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test. Arguments go to ctest: scripts/test.sh -R attention
set -euo pipefail
exec </dev/null
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

scripts/setup.sh tests
exec ctest --preset release --parallel "$(nproc)" "$@"
