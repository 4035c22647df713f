#!/usr/bin/env bash
# Formats every C++ file, or with --check names those that are not formatted and exits 1.
# clang-format 14 decides (Debian 12's; Ubuntu 24.04 has it as clang-format-14): other versions format otherwise.
set -euo pipefail
exec </dev/null
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

case ${1:-} in
    "") mode=(-i) ;;
    --check) mode=(--dry-run --Werror) ;;
    *)
        echo "usage: scripts/format.sh [--check]" >&2
        exit 2
        ;;
esac

formatter=
for candidate in clang-format-14 clang-format; do
    if command -v "$candidate" >/dev/null && "$candidate" --version | grep -q 'version 14\.'; then
        formatter=$candidate
        break
    fi
done
if [[ -z $formatter ]]; then
    echo "not run: clang-format 14 is not installed (scripts/setup.sh format installs it where it exists)" >&2
    exit 77
fi

# The clone may belong to another user, which git refuses unless it is told that the folder is meant.
mapfile -d '' files < <(git -c safe.directory="$PWD" ls-files -z -co --exclude-standard -- '*.cpp' '*.h')
present=()
for file in "${files[@]}"; do
    if [[ -f $file ]]; then present+=("$file"); fi
done
if ((${#present[@]} == 0)); then
    echo "format: git lists no C++ file in $PWD" >&2
    exit 1
fi
"$formatter" "${mode[@]}" "${present[@]}"
echo "format: ${#present[@]} files"
