// One table in each of its formats; text_of of table.h chooses.
#pragma once

#include <string>

#include "recipes/engine/report/table.h"

namespace locus {

/// Aligned for a terminal: one block of columns for all, or one a protocol where that would be too wide.
std::string markdown_of(const Table& table);

/// A header, a line per cell and a line per contrast (RFC 4180, LF, no comments): the axes, the metric's
/// mean, its interval, n, state and every run's value. A contrast's line has the difference for the mean, its
/// two arms under `contrast`, nothing under `arm`, and what the test says. A warning stands on every line.
std::string csv_of(const Table& table);

/// Floats of tabulars that fit a page of 345 pt, and the notes below them, outside of the floats; what it
/// needs of the preamble (booktabs) is said in its first lines.
std::string tex_of(const Table& table);

/// question, unit, rows[], columns[], notes[], cells[{row, column, mean, interval, values[], ...}],
/// contrasts[{contrast, column, mean, interval, values[], p_holm, undecided, ...}] where asked for: strict
/// JSON; a missing number is null.
std::string json_of(const Table& table);

}  // namespace locus
