// A recipe with every default resolved: what one cell trains and evaluates.
#pragma once

#include <string>
#include <vector>

#include "data/options.h"
#include "framework/train/options.h"
#include "models/options.h"
#include "recipes/engine/protocol.h"

namespace locus {

enum class EvaluatedSplit { valid, test };
enum class Metric { bits_per_byte, nats_per_token, perplexity, gain };

struct EvaluateOptions {
    std::vector<Index> lengths;  // tokens, ascending; default: 1, 2, 4, 8 times the longest training length
    std::vector<Protocol> protocols = {{ProtocolKind::non_overlapping}, {ProtocolKind::same_target}};
    EvaluatedSplit split = EvaluatedSplit::valid;
    Index targets = 2048;  // of same_target
};

/// How `table` lays out the cells. An axis is arm, protocol, length or the dotted key of a varied value.
struct TableOptions {
    std::string rows = "arm";
    std::vector<std::string> columns = {"protocol", "length"};
    Metric cell = Metric::bits_per_byte;
    std::string over = "train.seed";  // what the mean and its interval run over
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
    EvaluateOptions evaluate;
    TableOptions table;
    std::vector<Coordinate> cell;  // what varies, and its values here; empty for a recipe without `vary`
};

}  // namespace locus
