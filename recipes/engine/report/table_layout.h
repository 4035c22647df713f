// Which runs and which results make which cell of a table.
#pragma once

#include "recipes/engine/report/table.h"
#include "recipes/engine/report/table_source.h"

namespace locus {

/// Rows, columns and cells with their values; no statistics, no notes. Throws a storage Error for two runs of
/// one cell.
Table lay_out(const TableSource& source);

}  // namespace locus
