// Curves of an experiment, from the records of its table: what scripts/plot.py draws.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recipes/engine/report/table.h"

namespace locus {

struct CurvePoint {
    double x = 0;
    std::optional<double> value;
};

/// One arm: a curve per run, and their mean. The mean has a gap where any run has no value, for fewer runs
/// would be another mean.
struct Curve {
    std::string arm;
    std::vector<std::pair<std::string, std::vector<CurvePoint>>> runs;  // by name
    std::vector<CurvePoint> mean;
};

struct Figure {
    std::string name;  // of a file: "length_non_overlapping"
    std::string title, x_label, y_label, note;
    bool logarithmic = true;  // the x axis; else linear
    bool ranges = false;      // x are the middles of ranges, counted from 1, so that ticks are powers of two
    std::vector<Curve> curves;
};

/// A figure for each protocol and split of the experiment, in the table's metric where the protocol measures
/// it, else in nats per token; and one of training. Throws a storage Error for a broken metrics.jsonl.
std::vector<Figure> figures_of(const Table& table);

}  // namespace locus
