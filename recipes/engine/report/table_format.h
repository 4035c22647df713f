// One table in each of its formats; text_of of table.h chooses.
#pragma once

#include <string>

#include "recipes/engine/report/table.h"

namespace locus {

/// Aligned for a terminal: one block of columns for all, or one a protocol where that would be too wide.
std::string markdown_of(const Table& table);

/// A line a cell (RFC 4180, LF): the axes, the metric's mean, its interval, n, state, and every run's value.
/// A warning stands above the header behind "# ".
std::string csv_of(const Table& table);

/// A table environment for booktabs.
std::string tex_of(const Table& table);

/// question, unit, rows[], columns[], notes[], cells[{row, column, mean, interval, values[], ...}],
/// contrasts[{contrast, column, mean, interval, values[], p_holm, undecided, ...}] where asked for: strict
/// JSON; a missing number is null.
std::string json_of(const Table& table);

}  // namespace locus
