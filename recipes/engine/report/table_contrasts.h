// Paired differences of two arms of a table.
#pragma once

#include "recipes/engine/report/table_layout.h"

namespace locus {

/// Adds, for every "A - B" of `table.contrasts`, the differences of their numbers wherever all else is the
/// same: run by run, with Student's interval over them; for the primary ones in the primary column the
/// sign-flip test, Holm-corrected over these. Asks for finished cells.
void add_contrasts(Table& table, const TableSource& source);

/// Adds what the differences are.
void add_contrast_notes(Table& table);

}  // namespace locus
