#!/usr/bin/python3
"""Draws the figures of an experiment: loss against length, context, position and training, in the unit of its table.

    scripts/plot.py DIR [--out FOLDER]      default: DIR/figures

What is drawn are the records of the table: `locus table DIR --format figures` lays out every curve, and refuses what
is no one experiment. Writes PNG, SVG and PDF and prints their paths. The program is $LOCUS, the one beside this file or
in build/release, or the first in PATH.
"""
import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

try:
    import matplotlib
except ImportError:
    sys.exit(f"plot: {sys.executable} has no matplotlib: apt-get install python3-matplotlib, "
             "and run this with /usr/bin/python3")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of Agg)
from matplotlib.patheffects import withStroke  # noqa: E402
from matplotlib.transforms import ScaledTranslation  # noqa: E402

# Okabe and Ito's colours, without the yellow that white paper swallows: distinct for every kind of colour sight.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#56B4E9", "#E69F00"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "h"]
LINES = ["-", "--", ":", "-."]


def fail(message):
    sys.exit(f"plot: {message}")


def program():
    """The path of `locus`."""
    here = Path(__file__).resolve().parent
    for path in (os.environ.get("LOCUS"), here / "locus", here.parent / "build" / "release" / "locus"):
        if path and Path(path).is_file():
            return str(path)
    return shutil.which("locus") or fail("there is no program `locus`: build it, or name it by LOCUS=PATH")


def read_figures(folder):
    """What `locus table` lays out of the run folders; ends with its message where it refuses."""
    result = subprocess.run([program(), "table", str(folder), "--format", "figures"], capture_output=True, check=False)
    if result.returncode:
        fail(result.stderr.decode(errors="replace").strip().removeprefix("locus: "))
    return json.loads(result.stdout)


def plain(text):
    """Text that matplotlib takes for text: no formula between dollars."""
    return text.replace("$", r"\$")


def lines_of(points):
    """x and y of [[x, value or None]]; a missing value is a gap (NaN)."""
    return [x for x, _ in points], [math.nan if value is None else value for _, value in points]


def limits(curves):
    """The y range. Arms that explode would flatten all others, so it follows the lower half of the arms upward as
    long as the next one is not much higher; what lies above is marked at the edge."""
    values = [[value for run in curve["runs"] for _, value in run["points"] if value is not None] for curve in curves]
    maxima = sorted(max(of_arm) for of_arm in values if of_arm)
    if not maxima:
        return None
    low, high = min(min(of_arm) for of_arm in values if of_arm), maxima[-1]
    reach = 0.0
    for i, maximum in enumerate(maxima):
        if i > (len(maxima) - 1) // 2 and maximum - low > 2.5 * max(reach, 0.3 * abs(low)):
            cap = low + 1.5 * max(reach, 0.3 * abs(low))
            high = max(value for of_arm in values for value in of_arm if value <= cap)
            break
        reach = maximum - low
    room = 0.05 * (high - low or abs(high) or 1)
    return low - room, high + room


def draw_curve(axes, curve, style, top):
    """One arm: its mean, its runs, and [(x, value)] of what lies above the axis."""
    colour, marker, line = style
    if len(curve["runs"]) > 1:
        for run in curve["runs"]:
            axes.plot(*lines_of(run["points"]), color=colour, linewidth=0.6, linestyle=line, alpha=0.4)
    xs, means = lines_of(curve["mean"])
    axes.plot(xs, means, color=colour, marker=marker, linestyle=line, linewidth=1.6, markersize=5)
    return [(x, mean) for x, mean in zip(xs, means) if mean > top]


def mark_off_scale(axes, marks):
    """Writes each value above the axis over its place, with its arm's marker; returns the rows that this takes."""
    rows = 0
    for x in sorted({x for x, *_ in marks}):
        here = sorted((mark for mark in marks if mark[0] == x), key=lambda mark: mark[1])
        for row, (_, value, (colour, marker, _)) in enumerate(here):
            up = ScaledTranslation(-9 / 72, (7 + 10 * row) / 72, axes.figure.dpi_scale_trans)
            axes.plot([x], [1], marker=marker, color=colour, markersize=4.5, clip_on=False,
                      transform=axes.get_xaxis_transform() + up)
            axes.annotate(f"↑{value:.3g}", (x, 1), xycoords=axes.get_xaxis_transform(), xytext=(-5, 4 + 10 * row),
                          textcoords="offset points", fontsize=7.5, color=colour)
        rows = max(rows, len(here))
    return rows


def label_place(curves, length, span):
    """Where a label of a third of the height, left of `length`, meets the fewest curves: (y of the axes, alignment)."""
    bottom, top = span
    places = [(0.98, "top"), (0.02, "bottom"), (0.5, "center")]
    crossed = [0, 0, 0]
    for curve in curves:
        xs, means = lines_of(curve["mean"])
        before = [x for x in xs if x < length]
        for x, value in zip(xs, means):
            if x == length or (before and x == before[-1]):
                part = (value - bottom) / (top - bottom)
                for i, (low, high) in enumerate([(0.62, 1.0), (0.0, 0.38), (0.31, 0.69)]):
                    crossed[i] += low <= part <= high
    return places[crossed.index(min(crossed))]


def mark_trained(axes, lengths, curves, span):
    for length in lengths:
        axes.axvline(length, color="#777777", linewidth=1, linestyle=(0, (1, 2)), zorder=0)
        y, va = label_place(curves, length, span)
        axes.annotate(f"trained at {length:g}", (length, y), xycoords=axes.get_xaxis_transform(), xytext=(-2, 0),
                      textcoords="offset points", fontsize=8, color="#555555", rotation=90, ha="right", va=va, zorder=4,
                      path_effects=[withStroke(linewidth=3, foreground="white")])


def scale_x(axes, figure):
    """Logarithmic, with ticks at the places that were measured; at powers of two where these are ranges."""
    if not figure["logarithmic"]:
        return
    xs = sorted({x for curve in figure["curves"] for x, _ in curve["mean"]})
    axes.set_xscale("log", base=2)
    ticks = xs
    if figure["ranges"]:
        ticks = [2 ** power for power in range(math.floor(math.log2(xs[0])), math.ceil(math.log2(xs[-1])) + 1)]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    if len(xs) > 1:
        axes.set_xlim(xs[0] / 1.15, xs[-1] * 1.15)


def notes_of(figure, over, clipped):
    counts = {len(curve["runs"]) for curve in figure["curves"]}
    notes = [figure["note"]]
    if max(counts) > 1:
        how_many = str(counts.pop()) if len(counts) == 1 else f"{min(counts)} to {max(counts)}"
        what = "seeds" if over == "train.seed" else f"values of {over}"
        notes.append(f"mean of {how_many} {what}, thin lines: each")
    else:
        notes.append("one run per arm")
    if clipped:
        notes.append("↑ values above the axis")
    return "; ".join(notes)


def add_legend(axes, curves, styles):
    """Every arm has its entry, whatever its name: matplotlib itself hides names that begin with _."""
    handles = [plt.Line2D([], [], color=colour, marker=marker, linestyle=line, linewidth=1.6, markersize=5)
               for colour, marker, line in (styles[curve["arm"]] for curve in curves)]
    legend = axes.legend(handles, ["."] * len(handles), loc="upper left", bbox_to_anchor=(1.02, 1), frameon=False,
                         fontsize=9, ncol=1 + len(handles) // 25)
    for text, curve in zip(legend.get_texts(), curves):
        text.set_text(plain(curve["arm"]))


def draw(figure, experiment, styles, out):
    """Writes one figure in each format and returns the paths; none where no value is finite."""
    curves = figure["curves"]
    span = limits(curves)
    if span is None:
        print(f"plot: {figure['name']}: no run has a value: not drawn", file=sys.stderr)
        return []
    bottom, top = span
    sheet, axes = plt.subplots(figsize=(7.6, 4.6))
    marks = []
    for curve in curves:
        above = draw_curve(axes, curve, styles[curve["arm"]], top)
        marks += [(x, value, styles[curve["arm"]]) for x, value in above]
    scale_x(axes, figure)
    axes.set_ylim(bottom, top)
    rows = mark_off_scale(axes, marks)
    if figure["logarithmic"]:
        mark_trained(axes, experiment["trained_lengths"], curves, span)
    axes.set_xlabel(plain(figure["x_label"]))
    axes.set_ylabel(plain(figure["y_label"]))
    axes.text(0.5, -0.17, plain(notes_of(figure, experiment["over"], marks)), transform=axes.transAxes, ha="center",
              fontsize=7.5, color="#555555")
    axes.grid(alpha=0.25)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    title = "\n".join([*textwrap.wrap(experiment["question"], 80), figure["title"]])
    axes.set_title(plain(title), fontsize=10.5, pad=8 + 10 * rows)
    add_legend(axes, curves, styles)
    # No dates: the same runs give the same files.
    dates = {"png": None, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    paths = [out / f"{figure['name']}.{kind}" for kind in dates]
    for path in paths:
        sheet.savefig(path, dpi=200, bbox_inches="tight", metadata=dates[path.suffix[1:]])
    plt.close(sheet)
    return paths


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", type=Path, help="folder of run folders")
    parser.add_argument("--out", type=Path, help="where the figures go (default: DIR/figures)")
    arguments = parser.parse_args()
    experiment = read_figures(arguments.dir)
    out = arguments.out or arguments.dir / "figures"
    matplotlib.rcParams["svg.hashsalt"] = "locus"  # the same runs give the same file
    styles = {arm: (COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)], LINES[i // len(COLOURS) % len(LINES)])
              for i, arm in enumerate(experiment["arms"])}
    if not experiment["figures"]:
        fail(f"nothing to draw: no run under {arguments.dir} holds an evaluation")
    if experiment["warning"]:
        print(f"plot: {experiment['warning']}", file=sys.stderr)
    out.mkdir(parents=True, exist_ok=True)
    paths = [path for figure in experiment["figures"] for path in draw(figure, experiment, styles, out)]
    if not paths:
        fail(f"nothing to draw: no run under {arguments.dir} has a value")
    print(*paths, sep="\n")


if __name__ == "__main__":
    main()
