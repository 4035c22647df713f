// `table.contrasts`: pairs of arms, written "A - B".
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recipes/engine/config/axes.h"

namespace locus {

/// A and B of "A - B", or nothing.
std::optional<std::pair<std::string, std::string>> arms_of_contrast(const std::string& contrast);

/// Throws a usage Error where `table.contrasts` says something else than "A - B", or names what is no arm of
/// `axes`. Without arms, as in a resolved recipe, every name will do.
void check_contrasts(const std::vector<std::string>& contrasts, const std::vector<Axis>& axes,
                     const std::string& place);

}  // namespace locus
