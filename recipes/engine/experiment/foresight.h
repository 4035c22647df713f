// Which cells can give no number, known before any of them is trained.
#pragma once

#include <vector>

#include "recipes/engine/config/vary.h"
#include "recipes/engine/run/reporter.h"
#include "recipes/engine/run/workbench.h"

namespace locus {

/// Plans the evaluations of the cells `to_do` and says of which nothing can be scored: a split without
/// documents, a length that no document has. Cells whose data cannot be read are left to their own turn.
/// Throws a data Error where no cell can give any number.
void foresee(const std::vector<Cell>& cells, const std::vector<std::size_t>& to_do, Workbench& bench,
             Reporter& reporter);

}  // namespace locus
