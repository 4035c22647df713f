// Paired differences of two arms of a table.
#pragma once

#include "recipes/engine/report/table_source.h"

namespace locus {

/// Adds, for every "A - B" of `table.contrasts`, the differences of their numbers wherever all else is the
/// same: run by run, with Student's interval over them, and the sign-flip test, Holm-corrected over all
/// contrasts. Asks for finished cells.
void add_contrasts(Table& table, const TableSource& source);

/// Adds what the differences are, and what the test says of them.
void add_contrast_notes(Table& table);

}  // namespace locus
