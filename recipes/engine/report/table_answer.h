// What a table answers, in words that follow from its numbers.
#pragma once

#include "recipes/engine/report/table_layout.h"

namespace locus {

/// Adds a line for each primary contrast, with its verdict and why, and, where arms stand beside lengths
/// below and above the trained one, which arms keep their loss and which is best where. Asks for finished
/// cells, contrasts and marks.
void add_answer(Table& table, const TableSource& source);

}  // namespace locus
