#!/usr/bin/env bash
# From a bare machine to a table and its figures: packages, build, corpus, training, evaluation, table, figures.
# The table goes to stdout, all else to stderr.
set -euo pipefail
exec </dev/null
caller=$PWD
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

usage() {
    cat <<'TEXT'
usage: scripts/quickstart.sh [--out DIR] [key=value ...]
  --out DIR   where the run folders go (default: runs/quick)
  key=value   overrides of recipes/quick/train_short_test_long.yaml, as in `locus run`
TEXT
}

recipe=recipes/quick/train_short_test_long.yaml
locus=build/release/locus
out=
corpus_is_chosen=false
overrides=()
while (($# > 0)); do
    case $1 in
        --out)
            out=${2:?"quickstart: --out needs a folder"}
            shift
            ;;
        --out=*) out=${1#--out=} ;;
        -h | --help)
            usage
            exit 0
            ;;
        *)
            if [[ $1 == data.corpus=* ]]; then corpus_is_chosen=true; fi
            overrides+=("$1")
            ;;
    esac
    shift
done
if [[ -z $out ]]; then
    out=runs/quick
    if [[ $caller != "$PWD" ]]; then out=$PWD/$out; fi
elif [[ $out != /* ]]; then
    out=$caller/$out
fi

times=""
phase=
# Ends the phase that runs and begins the next; without a name it only ends one.
begin() {
    if [[ -n $phase ]]; then times+="${times:+, }$phase $((SECONDS - since)) s"; fi
    phase=${1:-}
    since=$SECONDS
    if [[ -n $phase ]]; then echo "=== $phase" >&2; fi
}
# shellcheck disable=SC2317  # called by the trap
on_exit() {
    local code=$?
    if ((code != 0)); then echo "quickstart: stopped with exit code $code in: $phase" >&2; fi
}
trap on_exit EXIT

# Fetches the corpus; where that fails once, the package lists that it comes from may be absent or old.
fetch() {
    "$locus" data fetch austen >&2 || { scripts/setup.sh lists >&2 && "$locus" data fetch austen >&2; }
}

begin "set-up and build"
scripts/setup.sh program >&2

if ! $corpus_is_chosen; then
    begin corpus
    if ! fetch; then
        echo "quickstart: no corpus could be fetched: going on with the generated one (data.corpus=generated)" >&2
        overrides+=(data.corpus=generated)
    fi
fi

begin "training, evaluation and table"
run_code=0
"$locus" run "$recipe" "${overrides[@]}" --out "$out" || run_code=$?
if ((run_code > 1)); then exit "$run_code"; fi  # after 1 a cell has failed, and the others are in the table

begin figures
mapfile -t figures < <(/usr/bin/python3 scripts/plot.py "$out")
if ((${#figures[@]} == 0)); then exit 1; fi

begin
{
    echo
    echo "run folders:  $out/"
    echo "tables:       $out/table.md (also .csv, .tex, .json)"
    echo "figures:      ${figures[0]}"
    if ((${#figures[@]} > 1)); then printf '              %s\n' "${figures[@]:1}"; fi
    echo "time:         $times; in all $SECONDS s"
} >&2
if ((run_code != 0)); then phase="training of some cells (the table and the messages above say which)"; fi
exit "$run_code"
