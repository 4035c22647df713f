// The name of a cell's folder.
#pragma once

#include <string>
#include <vector>

#include "recipes/engine/config/recipe.h"

namespace locus {

/// What varies, in words: "rope,seed=0"; the stem of the recipe's file where nothing does.
std::string cell_title(const std::vector<Coordinate>& cell, const std::string& path);

/// The folder of a cell of that title: the title itself, or, above 200 bytes, its beginning and a hash of it.
/// Throws a usage Error for a title that names a file of an experiment or of a run; `place` stands in it.
std::string cell_name(const std::string& title, const std::string& place);

}  // namespace locus
