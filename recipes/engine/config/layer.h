// What one place says (the recipe, an arm, a grid's value, the command line), and how layers lie over each
// other.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "recipes/engine/config/schema.h"

namespace locus {

struct Layer {
    std::map<std::string, Value> values;  // by dotted path
    std::set<std::string> blocks;  // sections and encoding.scaling written as a whole: over another layer
                                   // they replace the section
};

/// Reads entries such as `train: {lr: 1e-3}` and `train.lr: 1e-3`. Throws a usage Error, with file and line,
/// for unknown, misplaced and repeated keys, for two spellings of one thing and for values of a wrong type.
Layer flatten(const std::vector<Entry>& entries, const Schema& schema);

/// Lays `over` on `base`: a whole block replaces the block, a dotted key one value (and its other spelling).
void lay_over(Layer& base, const Layer& over, const Schema& schema);

}  // namespace locus
