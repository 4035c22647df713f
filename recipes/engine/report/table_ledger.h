// Fairness: what the arms of a table share, and what they do not.
#pragma once

#include "recipes/engine/report/table_layout.h"

namespace locus {

/// Compares the runs' recipes and manifests. What differs without being declared as varied goes to
/// `table.warning`, all else that a reader should know of the comparison to `table.ledger`.
void add_ledger(Table& table, const TableSource& source);

}  // namespace locus
