// Whether the recipe of a run folder or a checkpoint is that of a cell.
#pragma once

#include <string>
#include <vector>

#include "recipes/engine/config/same_training.h"

namespace locus {

/// The keys by which the recipe `here` and that at `place`, `there`, differ, where they train the same model.
/// Throws a storage Error, which says `what` and names the first key, where they do not.
std::vector<KeyDifference> require_same_training(const std::string& here, const std::string& there,
                                                 const std::string& place, const std::string& what);

}  // namespace locus
