// key=value on the command line.
#pragma once

#include <string>
#include <vector>

#include "recipes/engine/config/value.h"

namespace locus {

/// Reads key=value texts. A value that begins with [ or { is YAML, any other is taken as it stands. Those of
/// `vary` go straight into the recipe's entries; the others are returned. Throws a usage Error for a text
/// that is no key=value and for a key that is given twice.
std::vector<Entry> read_overrides(const std::vector<std::string>& texts, std::vector<Entry>& recipe);

}  // namespace locus
