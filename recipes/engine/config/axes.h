// The `vary:` section: axes of choices, each a layer over the recipe.
#pragma once

#include <string>
#include <vector>

#include "recipes/engine/config/layer.h"

namespace locus {

/// Whether `c` may stand in the name of a cell: a folder, on any system.
bool fits_folder_name(char c);

struct Choice {
    std::string label;  // the arm's name, or the value as written
    Layer layer;
    Source source;
};

struct Axis {
    std::string name;  // arm, or a dotted key
    std::vector<Choice> choices;
};

/// Reads `vary`: the arms first, then the grids in the order written. Throws a usage Error for unknown keys,
/// arms without a name or with the same one, and a key that an arm sets and a grid varies.
std::vector<Axis> read_axes(const Value& vary, const Schema& schema);

/// Throws a usage Error where the command line sets what an axis varies.
void check_overrides(const Layer& overrides, const std::vector<Axis>& axes);

}  // namespace locus
