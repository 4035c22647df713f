// A recipe and its overrides before cells are made of them.
#pragma once

#include <string>
#include <vector>

#include "recipes/engine/config/axes.h"
#include "recipes/engine/config/recipe_file.h"

namespace locus {

/// What is the same for all cells.
struct ExperimentText {
    std::string path;  // of the recipe
    Overlay base, overrides;
    Variation variation;
    std::vector<Coordinate> cell;     // of a resolved recipe
    std::vector<std::string> chosen;  // arms; empty: all
};

/// Reads the recipe and what lies over it. Throws a usage Error for keys and values of a wrong type, as far
/// as they do not depend on the encoding, which an arm may choose.
ExperimentText read_experiment(const RecipeFile& file, const std::vector<std::string>& overrides,
                               const Schema& schema);

}  // namespace locus
