// What the numbers of a table are, what is missing, and what the marks mean.
#pragma once

#include "recipes/engine/report/table_layout.h"

namespace locus {

/// Adds the metric, and a line per protocol: definition, split, unit, BOS and tail rules, documents, tokens
/// scored.
void add_definitions(Table& table, const TableSource& source);

/// Adds what was skipped and why, and what bold and intervals claim. Asks for finished cells.
void add_notes(Table& table, const TableSource& source);

}  // namespace locus
