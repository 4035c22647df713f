"""Tables of a series: medians, ratios, and what was not run."""
import statistics


def medians(configuration):
    return {name: statistics.median(values) for name, values in configuration["samples"].items()}


def best(values, prefix, suffix=""):
    """(name, value) of the largest whose name begins and ends so; None where there is none."""
    fitting = [(value, name) for name, value in values.items() if name.startswith(prefix) and name.endswith(suffix)]
    return max(fitting)[::-1] if fitting else None


def ratio(a, b):
    return f"{a / b:.2f}" if a is not None and b else "—"


def table(head, rows):
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in [head, *rows]]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def ratios_of(configuration, threads):
    values = medians(configuration)
    step = values.get("locus")
    flops = step * configuration["flops_per_token"] if step else None
    all_threads = {name: value for name, value in values.items() if not name.endswith(", 1 thread")}
    blas = best(all_threads, "sgemm")
    single, many = best(values, "torch", f", 1 x {threads} threads"), best(values, "torch")
    return [
        configuration["name"],
        f"{step:.0f}" if step else "—",
        f"{flops / 1e9:.1f}" if flops else "—",
        ratio(flops, values.get("peak")),
        ratio(flops, values.get("sgemm default")),
        ratio(flops, blas and blas[1]),
        ratio(step, single and single[1]),
        ratio(step, many and many[1]),
        ratio(step, values.get("locus, 1 thread")),
        ratio(values.get("locus, bf16"), step),
        ratio(values.get("locus, LOCUS_TARGET=avx2"), step),
        ratio(values.get("locus, OpenBLAS"), step),
    ]


HEAD = ["configuration", "tokens/s", "GFLOP/s", "/ FMA peak", "/ sgemm", "/ best sgemm", "/ best torch, 1 process",
        "/ best torch", "/ 1 thread", "bf16 /", "avx2 /", "OpenBLAS /"]


def samples_of(configuration):
    rows = []
    for name, values in configuration["samples"].items():
        is_rate = name == "peak" or name.startswith("sgemm")
        scale, unit = (1e9, "GFLOP/s") if is_rate else (1, "tokens/s")
        digits = 1 if is_rate else 0
        rows.append([name, *(f"{value / scale:.{digits}f}" for value in (statistics.median(values), min(values), max(values))),
                     unit])
    rows += [[name, "—", "—", "—", f"not run: {why}"] for name, why in configuration["not_run"].items()]
    return table(["measured", "median", "min", "max", ""], rows)


def text(series):
    machine, threads = series["machine"], series["threads"]
    torch = series["torch"] or "none"
    busy = f" Other programs were running: load average {series['load']:.1f} before." if series["load"] > 0.5 else ""
    parts = [f"{machine['cpu']}, {threads} threads, {machine['target']}, BLAS kernel {machine['blas_kernel']}, "
             f"torch {torch}; medians of {series['repeats']} interleaved repeats.{busy}",
             "Configurations: layers x width x heads, length, sequences of a batch. FLOPs of a token: "
             "6 x parameters + 6 x layers x width x length.",
             "Ratios of the step of Locus to the others, and of its variants to it. sgemm: OpenBLAS, one thread per call, "
             "on all threads, at the shapes of the model; `best sgemm` may be told which kernel to use. "
             "torch in several processes is charged no sum of gradients.",
             table(HEAD, [ratios_of(configuration, threads) for configuration in series["configurations"]])]
    for configuration in series["configurations"]:
        parts += [f"{configuration['name']}: {configuration['parameters']} parameters, {configuration['steps']} steps a sample",
                  samples_of(configuration)]
    return "\n\n".join(parts)
