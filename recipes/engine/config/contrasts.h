// `table.contrasts`: pairs of arms, written "A - B", and patterns of such pairs.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recipes/engine/config/axes.h"
#include "recipes/engine/config/recipe.h"

namespace locus {

/// A and B of "A - B", or nothing.
std::optional<std::pair<std::string, std::string>> arms_of_contrast(const std::string& contrast);

/// The pairs that `table.contrasts` names. In "{rule}-{factor} - {rule}-{factor}-0", {axis} stands for each
/// value of that axis of arms that are products, in "*-tuned - *" the star for any text, the same on both
/// sides; pairs are those whose arms there are, and not of an arm with itself. Patterns that follow each
/// other and share an axis are expanded together, for one value of the slowest such axis after the other.
/// Throws a usage Error for what is not "A - B", for what is no arm, and for a pattern that no pair of arms
/// fits. Without arms, as in a resolved recipe, every name will do.
std::vector<std::string> expand_contrasts(const std::vector<std::string>& contrasts,
                                          const Variation& variation, const std::string& place);

/// The options with both lists of contrasts expanded, and the primary ones the first of all. Throws a usage
/// Error as expand_contrasts does, and for primary contrasts without a primary column.
TableOptions with_contrasts(TableOptions table, const Variation& variation, const std::string& place);

}  // namespace locus
