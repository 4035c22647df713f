#!/usr/bin/python3
"""Draws the figures of an experiment from its run folders: loss against length, context, position and training.

    scripts/plot.py DIR [--out FOLDER]      default: DIR/figures

Reads manifest.json, evaluations/summary.json and metrics.jsonl of every run folder under DIR, and nothing else. Writes
PNG and SVG and prints their paths.
"""
import argparse
import math
import sys
import textwrap
from collections import namedtuple
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

from plot_runs import fail, read_runs  # noqa: E402  (after the check for matplotlib)

# Okabe and Ito's colours, without the yellow that white paper swallows: distinct for every kind of colour sight.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#56B4E9", "#E69F00"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "h"]
LINES = ["-", "--", ":", "-."]
UNITS = {"bits_per_byte": "bits per byte", "nats_per_token": "nats per token"}

Curve = namedtuple("Curve", "arm runs")  # runs: one {x: value or None} a seed
Figure = namedtuple("Figure", "name title x_label x_key note")


def figure_of(protocol, split, several_splits):
    """What is drawn of a protocol, or None where there is no figure for it."""
    kind = protocol.partition(":")[0]
    where = f" ({split})" if several_splits else ""
    name = protocol.replace(":", "_") + (f"_{split}" if several_splits else "")
    if kind == "non_overlapping":
        return Figure(f"length_{name}", f"Loss against length{where}", "window length, tokens", "length",
                      "pieces that do not overlap: longer pieces starve fewer tokens of context")
    if kind == "sliding":
        return Figure(f"length_{name}", f"Loss against length{where}", "window length, tokens", "length",
                      f"{protocol}: only a window's new tokens are scored")
    if kind == "same_target":
        return Figure(f"context_{name}", f"Loss against visible context{where}", "visible context, tokens", "context",
                      "the same target tokens at every context")
    if kind == "per_position":
        return Figure(f"position_{name}", f"Loss against position{where}", "position in the window, tokens", "bin",
                      "mean over each bin of positions")
    if kind == "training":
        return Figure("training", "Loss in training", "trained tokens", "tokens",
                      "of the batches themselves, mean over each fortieth of the run")
    return None


def x_of(result, key):
    """The place of a result on the x axis; a bin stands at its geometric middle, positions counted from 1."""
    if key != "bin":
        return result[key]
    low, high = result["bin"]
    return math.sqrt((low + 1) * max(high, low + 1))


def collect(runs):
    """{(protocol, split): (results of each run, [(run, results)])} in order of appearance."""
    groups = {}
    for run in runs:
        for evaluation in run.evaluations:
            key = (evaluation["protocol"], evaluation.get("split", "valid"))
            groups.setdefault(key, []).append((run, evaluation.get("results", [])))
    return groups


def unit_of(group):
    """bits_per_byte where any result has it, else nats_per_token."""
    has_bytes = any(result.get("bits_per_byte") is not None for _, results in group for result in results)
    return "bits_per_byte" if has_bytes else "nats_per_token"


def curves_of(group, x_key, unit):
    curves = {}
    for run, results in group:
        points = {x_of(result, x_key): result.get(unit) for result in results}
        curves.setdefault(run.arm, Curve(run.arm, [])).runs.append(points)
    return list(curves.values())


def mean_curve(curve):
    """x and mean over seeds; a gap (NaN) where any seed has no value, for fewer seeds would be another mean."""
    xs = sorted({x for points in curve.runs for x in points})
    means = []
    for x in xs:
        values = [points.get(x) for points in curve.runs]
        means.append(math.nan if any(value is None for value in values) else sum(values) / len(values))
    return xs, means


def limits(curves):
    """The y range. Arms that explode would flatten all others, so it follows the lower half of the arms upward as
    long as the next one is not much higher; what lies above is marked at the edge."""
    values = [[value for points in curve.runs for value in points.values() if value is not None] for curve in curves]
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
    """One arm: its mean, its seeds, and [(x, value)] of what lies above the axis."""
    colour, marker, line = style
    if len(curve.runs) > 1:
        for points in curve.runs:
            xs = sorted(points)
            axes.plot(xs, [math.nan if points[x] is None else points[x] for x in xs], color=colour, linewidth=0.6,
                      linestyle=line, alpha=0.4)
    xs, means = mean_curve(curve)
    axes.plot(xs, means, color=colour, marker=marker, linestyle=line, linewidth=1.6, markersize=5, label=curve.arm)
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
        xs, means = mean_curve(curve)
        before = [x for x in xs if x < length]
        for x, value in zip(xs, means):
            if x == length or (before and x == before[-1]):
                part = (value - bottom) / (top - bottom)
                for i, (low, high) in enumerate([(0.62, 1.0), (0.0, 0.38), (0.31, 0.69)]):
                    crossed[i] += low <= part <= high
    return places[crossed.index(min(crossed))]


def mark_trained(axes, runs, curves, span):
    for length in sorted({run.trained for run in runs if run.trained}):
        axes.axvline(length, color="#777777", linewidth=1, linestyle=(0, (1, 2)), zorder=0)
        y, va = label_place(curves, length, span)
        axes.annotate(f"trained at {length}", (length, y), xycoords=axes.get_xaxis_transform(), xytext=(-2, 0),
                      textcoords="offset points", fontsize=8, color="#555555", rotation=90, ha="right", va=va, zorder=4,
                      path_effects=[withStroke(linewidth=3, foreground="white")])


def scale_x(axes, figure, curves):
    """Logarithmic, with ticks at the lengths that were measured; at powers of two where x is a position. Linear in tokens."""
    if figure.x_key == "tokens":
        return
    xs = sorted({x for curve in curves for points in curve.runs for x in points})
    axes.set_xscale("log", base=2)
    ticks = xs
    if figure.x_key == "bin":
        ticks = [2 ** power for power in range(math.floor(math.log2(xs[0])), math.ceil(math.log2(xs[-1])) + 1)]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    if len(xs) > 1:
        axes.set_xlim(xs[0] / 1.15, xs[-1] * 1.15)


def notes_of(figure, curves, clipped):
    counts = {len(curve.runs) for curve in curves}
    notes = [figure.note]
    if max(counts) > 1:
        how_many = str(counts.pop()) if len(counts) == 1 else f"{min(counts)} to {max(counts)}"
        notes.append(f"mean of {how_many} seeds, thin lines: each seed")
    else:
        notes.append("one run an arm")
    if clipped:
        notes.append("↑ values above the axis")
    return "; ".join(notes)


def draw(figure, group, styles, out):
    """Writes one figure as PNG and SVG and returns the paths; none where no value is finite."""
    unit = unit_of(group)
    curves = curves_of(group, figure.x_key, unit)
    span = limits(curves)
    if span is None:
        print(f"plot: {figure.name}: no run has a value: not drawn", file=sys.stderr)
        return []
    bottom, top = span
    runs = [run for run, _ in group]
    sheet, axes = plt.subplots(figsize=(7.6, 4.6))
    marks = []
    for curve in curves:
        above = draw_curve(axes, curve, styles[curve.arm], top)
        marks += [(x, value, styles[curve.arm]) for x, value in above]
    scale_x(axes, figure, curves)
    axes.set_ylim(bottom, top)
    rows = mark_off_scale(axes, marks)
    if figure.x_key != "tokens":
        mark_trained(axes, runs, curves, span)
    axes.set_xlabel(figure.x_label)
    axes.set_ylabel(f"loss, {UNITS[unit]}")
    axes.text(0.5, -0.17, notes_of(figure, curves, marks), transform=axes.transAxes, ha="center", fontsize=7.5,
              color="#555555")
    axes.grid(alpha=0.25)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    question = next((run.question for run in runs if run.question), "")
    title = "\n".join([*textwrap.wrap(question, 80), figure.title])
    axes.set_title(title, fontsize=10.5, pad=8 + 10 * rows)
    axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1), frameon=False, fontsize=9)
    paths = [out / f"{figure.name}.{kind}" for kind in ("png", "svg")]
    for path in paths:
        sheet.savefig(path, dpi=200, bbox_inches="tight", metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(sheet)
    return paths


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", type=Path, help="folder of run folders")
    parser.add_argument("--out", type=Path, help="where the figures go (default: DIR/figures)")
    arguments = parser.parse_args()
    runs = read_runs(arguments.dir)
    out = arguments.out or arguments.dir / "figures"
    matplotlib.rcParams["svg.hashsalt"] = "locus"  # the same runs give the same file
    arms = list(dict.fromkeys(run.arm for run in runs))
    styles = {arm: (COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)], LINES[i // len(COLOURS) % len(LINES)])
              for i, arm in enumerate(arms)}
    groups = collect(runs)
    several_splits = len({split for _, split in groups} - {"train"}) > 1
    out.mkdir(parents=True, exist_ok=True)
    paths = []
    for (protocol, split), group in groups.items():
        figure = figure_of(protocol, split, several_splits)
        if figure:
            try:
                paths += draw(figure, group, styles, out)
            except KeyError as error:
                fail(f"a result of {protocol} has no {error}: see {arguments.dir}/*/evaluations/summary.json")
    if not paths:
        fail(f"nothing to draw: the runs under {arguments.dir} hold {', '.join(protocol for protocol, _ in groups)}")
    print(*paths, sep="\n")


if __name__ == "__main__":
    main()
