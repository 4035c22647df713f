// Whether an experiment has runs enough to decide what it asks.
#pragma once

#include <string>
#include <vector>

#include "recipes/engine/config/vary.h"

namespace locus {

/// A line where the values of `table.over` are too few to decide the recipe's primary contrasts by the
/// sign-flip test, Holm-corrected over them, or where it names none; "" else.
std::string caution_of_power(const std::vector<Cell>& cells);

}  // namespace locus
