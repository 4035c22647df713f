// A recipe with every default resolved: what one cell trains and evaluates.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/options.h"
#include "framework/train/options.h"
#include "models/options.h"
#include "recipes/engine/measure/protocol.h"

namespace locus {

enum class EvaluatedSplit { valid, test };

struct EvaluateOptions {
    std::vector<Index> lengths;  // tokens, ascending; default: 1, 2, 4, 8 times the longest root_length
    std::vector<Protocol> protocols = {{"non_overlapping"}, {"same_target"}};
    EvaluatedSplit split = EvaluatedSplit::valid;
    Index targets = 2048;  // of same_target
};

/// How `table` lays out the cells. An axis is arm, protocol, an axis of results such as length, or the dotted
/// key of a varied value.
struct TableOptions {
    std::string rows = "arm";
    std::vector<std::string> columns = {"protocol", "length"};
    std::string cell = "bits_per_byte";  // a metric
    std::string over = "train.seed";     // what the mean and its interval run over
    std::vector<std::string> contrasts;  // "A - B": arms whose paired difference is shown too
    // What answers the question: a value for each axis of `columns` but the arm, and those of the contrasts
    // that count there. They alone are tested; what else a table shows is exploratory.
    std::vector<std::string> primary_column, primary_contrasts;
};

/// Where a run begins when it does not begin with drawn values: at the parameters of another one.
struct FromOptions {
    std::string run;            // a run folder or a checkpoint
    std::string folder;         // where a relative path of it begins; "": the working folder
    std::string arm;            // or the cell of this arm in the same experiment, at the same grid values
    Index step = -1;            // of the checkpoint; -1: the last
    Index original_length = 0;  // train.length of the run at the root; filled in
    Index tokens = 0;           // seen until then: where the order of the training text goes on; filled in

    bool given() const { return !run.empty() || !arm.empty(); }
    /// The run folder or checkpoint of `run`.
    std::filesystem::path path() const { return std::filesystem::path(folder) / run; }
};

enum class FactorList { long_factor, short_factor };

/// What `locus search` looks for, and how hard (arXiv:2402.13753).
struct SearchOptions {
    bool given = false;  // the recipe has a `search` section, which a resolved recipe then shows
    double factor = 4;   // target length / original length
    FactorList list = FactorList::long_factor;  // short_factor: recovery at the original length
    Index population = 64, parents = 32, mutations = 16, crossovers = 16, iterations = 40;
    double probability = 0.3;  // that a gene is drawn anew or crossed
    double step = 0.01;        // of the grid of factors
    double upper = 1.25;       // greatest factor / target factor
    std::vector<Index> n_hat = {0, 1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 64, 128, 256};
    double attention_factor = 0;  // of every candidate; 0: sqrt(1 + ln s / ln L)
    Index windows = 16;           // of split valid: the fitness
    Index test_windows = 256;     // of split test: the verdict
};

/// One coordinate of a cell: {"arm", "rope"} or {"train.seed", "0"}.
struct Coordinate {
    std::string axis;
    std::string value;

    bool operator==(const Coordinate&) const = default;
};

struct Recipe {
    std::string question;
    DataOptions data;
    ModelOptions model;
    EncodingOptions encoding;
    MaskOptions mask;
    TrainOptions train;
    FromOptions from;
    EvaluateOptions evaluate;
    SearchOptions search;
    TableOptions table;
    std::vector<Coordinate> cell;  // what varies, and its values here; empty for a recipe without `vary`
};

/// Tokens of the windows that the run at the root was trained on, before anything was extended: the 1x of
/// tables, and what gains are counted from.
inline Index root_length(const Recipe& recipe) {
    return recipe.from.given() ? recipe.from.original_length : recipe.train.length;
}

/// Tokens of the windows that the parameters were trained on last: a run without a step trained on none.
inline Index trained_length(const Recipe& recipe) {
    return recipe.train.steps() > 0 ? recipe.train.length : root_length(recipe);
}

}  // namespace locus
