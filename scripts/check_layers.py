#!/usr/bin/env python3
"""Checks who includes whom: framework <- models, data <- the rooms of recipes/engine <- scripts; tests see all. And that
one file alone writes to the standard streams.

Checks as well that CMake links what the rules allow, that tests mirror the folders, and how the namespace of the
scalar is written and where. Prints each violation as file:line and exits 1 where there is one.
`check_layers.py [--graph] [ROOT]`; ROOT is by default the folder above this file's. With --graph it prints the rooms,
who includes whom, and where the code is long.
"""
import re
import sys
from pathlib import Path

from layer_graph import arrows_of, print_graph
from layer_links import libraries_of, link_faults

FRAMEWORK = "framework/"
CORE, AUTODIFF, OPS, NN, OPTIM, IO, DISTRIBUTED = (
    f"framework/{part}/" for part in ("core", "autodiff", "ops", "nn", "optim", "io", "distributed"))

MODELS, DATA = "models/", "data/"
STATISTICS, IDENTITY, MEASURE, CONFIG, EVALUATION, REPORT, RUN, CARD, VERIFY, SEARCH, EXPERIMENT = ROOMS = [
    f"recipes/engine/{room}/" for room in
    ("statistics", "identity", "measure", "config", "evaluation", "report", "run", "card", "verify", "search",
     "experiment")]

# What a folder may include, itself aside. The first match counts; a folder that no line names is a violation.
MAY_INCLUDE = [
    (CORE, []),
    (AUTODIFF, [CORE]),
    (OPS, [CORE, AUTODIFF]),
    (NN, [CORE, AUTODIFF, OPS]),
    (OPTIM, [CORE, AUTODIFF, OPS, NN]),
    (IO, [CORE]),
    (DISTRIBUTED, [CORE]),
    ("framework/train/", [FRAMEWORK]),
    (MODELS, [CORE, AUTODIFF, OPS, NN]),
    (DATA, [CORE, IO]),
    (STATISTICS, [CORE]),
    (IDENTITY, [CORE, IO]),
    (MEASURE, [CORE, IO, DATA, STATISTICS]),  # what can be measured: no model, no recipe
    (CONFIG, [FRAMEWORK, MODELS, DATA, STATISTICS, MEASURE]),
    (EVALUATION, [FRAMEWORK, MODELS, DATA, CONFIG, IDENTITY, STATISTICS, MEASURE]),
    (REPORT, [CORE, IO, CONFIG, IDENTITY, STATISTICS, MEASURE]),  # made from run folders: no model, no data
    (RUN, [FRAMEWORK, MODELS, DATA, CONFIG, IDENTITY, STATISTICS, MEASURE, EVALUATION]),
    (CARD, [FRAMEWORK, MODELS, CONFIG, RUN]),
    (VERIFY, [FRAMEWORK, MODELS, CONFIG, RUN]),
    (SEARCH, [FRAMEWORK, MODELS, DATA, CONFIG, IDENTITY, STATISTICS, MEASURE, EVALUATION, RUN]),
    (EXPERIMENT, [FRAMEWORK, MODELS, DATA, CONFIG, IDENTITY, STATISTICS, MEASURE, EVALUATION, RUN]),
    ("scripts/", [FRAMEWORK, MODELS, DATA, *ROOMS]),
]
CHECKED = ["framework", "models", "data", "recipes", "scripts"]
PROJECT = ("framework/", "models/", "data/", "recipes/", "scripts/", "tests/")

# Libraries that only one place knows, so that they can be changed there.
ONLY_IN = [
    (r"yaml-cpp/", r"recipes/engine/config/.*\.cpp"),
    (r"cxxopts\.hpp", r"scripts/.*"),
    (r"hdf5\.h|H5.*", r"framework/io/.*"),
    (r"mpi\.h", r"framework/distributed/.*"),
    (r"zlib\.h", r"data/.*"),
    (r"hwy/", r"framework/.*"),
    (r"cblas\.h|openblas.*", r"framework/.*"),
    (r"gtest/|gmock/", r"tests/.*"),
]

# Who writes to the standard streams: one place that knows what to do when they cannot be written.
STREAM = re.compile(r"\bfmt::print\(|\bstd::(cout|cerr|clog|puts|printf|fprintf|fputs)\b|\bstderr\b")
WRITES = "scripts/commands/output.cpp"

# Folders of tests/ that test more than one folder, or a program whole; every other folder mirrors one.
WHOLE = {"allocation", "bench", "cli", "distributed", "fuzz", "install"}

# What exists for float and for double; all else is built for float only and stands in `locus` alone.
SCALAR = (FRAMEWORK, MODELS, "tests/framework/", "tests/models/", "tests/support/", "tests/allocation/", "tests/bench/",
          "examples/")

INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')


def includes(path):
    """(line number, whether it is quoted, included path) of each include of a file."""
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        if match := INCLUDE.match(line):
            yield number, match[1] == '"', match[2]


def stream_writes(path):
    """The line numbers at which a file writes to a standard stream by itself."""
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        if STREAM.search(line.partition("//")[0]):
            yield number


def fault_of(root, file, quoted, included):
    """Why `file` (from the root) may not include `included`, or None."""
    if included.startswith(PROJECT):
        if ".." in included.split("/"):
            return f'"{included}" leaves its folder: write the path from the root'
        for folder, allowed in MAY_INCLUDE:
            if file.startswith(folder):
                if included.startswith((folder, *allowed)):
                    return None
                return f"{folder} may not include {included}; it sees {', '.join([folder, *allowed])}"
        return f"{file.rpartition('/')[0]}/ has no place among the layers (scripts/check_layers.py names them)"
    if quoted and (root / file).parent.joinpath(included).exists():
        return f'"{included}" is written from its own folder: write the path from the root'
    for library, place in ONLY_IN:
        if re.match(library, included) and not re.fullmatch(place, file):
            return f"<{included}> belongs to {place} only"
    return None


def files_of(root, folders=CHECKED):
    return sorted(path for folder in folders for path in (root / folder).rglob("*")
                  if path.suffix in (".h", ".cpp") and path.is_file())


def room_of(file):
    """The folder of MAY_INCLUDE in which a path stands, or None."""
    return next((folder for folder, _ in MAY_INCLUDE if file.startswith(folder)), None)


def allows(room, other):
    return any(other.startswith(allowed) for allowed in dict(MAY_INCLUDE)[room])


def included_by(root, file):
    return [included for _, _, included in includes(root / file)]


def graph(root):
    texts = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8", errors="replace").splitlines()
             for path in files_of(root)}
    texts = {file: lines for file, lines in texts.items() if room_of(file)}
    print_graph(texts, [folder for folder, _ in MAY_INCLUDE], room_of, lambda file: included_by(root, file), allows)


def mirror_faults(root):
    """Violations of the rule that tests/PATH tests the folder PATH."""
    folders = {path.parent.relative_to(root / "tests") for path in (root / "tests").rglob("*_test.*")}
    for folder in sorted(folders):
        if folder.parts[0] not in WHOLE and not (root / folder).is_dir():
            yield f"tests/{folder.as_posix()}: mirrors no folder: there is no {folder.as_posix()}/"


def scalar_faults(root):
    """Where the scalar namespace is written in one line, which readers of C++ such as ctags do not follow, or opened
    by code that is built for one scalar only."""
    files = files_of(root, [*CHECKED, "tests", "examples"])
    for file, path in ((path.relative_to(root).as_posix(), path) for path in files):
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if re.match(r"\s*namespace\b.*::\s*inline\b", line):
                yield f"{file}:{number}: write `namespace locus {{` and `inline namespace LOCUS_SCALAR {{`"
            elif re.match(r".*\binline\s+namespace\s+LOCUS_SCALAR", line) and not file.startswith(SCALAR):
                yield f"{file}:{number}: no scalar namespace above models/: it is built for float only"


def check(root):
    """(number of files read, violations as text)."""
    files = files_of(root)
    violations = []
    for path in files:
        file = path.relative_to(root).as_posix()
        for number, quoted, included in includes(path):
            if fault := fault_of(root, file, quoted, included):
                violations.append(f"{file}:{number}: {fault}")
        if file != WRITES:
            violations += [f"{file}:{number}: only {WRITES} writes to the standard streams: use put() or tell()"
                           for number in stream_writes(path)]
    names = [path.relative_to(root).as_posix() for path in files]
    arrows = arrows_of([name for name in names if room_of(name)], room_of, lambda file: included_by(root, file))
    violations += link_faults(libraries_of(root, CHECKED), room_of, allows, arrows)
    violations += [*mirror_faults(root), *scalar_faults(root)]
    return len(files), violations


def main(arguments):
    places = [word for word in arguments if word != "--graph"]
    root = Path(places[0]) if places else Path(__file__).resolve().parent.parent
    if len(places) < len(arguments):
        graph(root)
    count, violations = check(root)
    for violation in violations:
        print(violation)
    if count == 0:
        print(f"layers: no C++ file under {root}", file=sys.stderr)
        return 2
    print(f"layers: {count} files, {len(violations)} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
