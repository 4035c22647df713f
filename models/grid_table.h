// Tables of vectors over the cells of a grid, and their resize to another grid.
#pragma once

#include <vector>

#include "models/encoding.h"

namespace locus {
inline namespace LOCUS_SCALAR {

struct Grid {
    Index rows = 0, columns = 0;
    Index cells() const { return rows * columns; }
    bool operator==(const Grid&) const = default;
};

/// The options that give a table's grid and the grid that the model runs on.
std::vector<Option> grid_options();

/// Where neither rows nor columns are given: the smallest square of shape.train_length cells or more.
void resolve_grid(Options& options, const EncodingShape& shape);

/// The grid of the table, `rows` x `columns`. Throws where only one of them is given.
Grid table_grid(const std::string& kind, const Options& options);

/// The grid that the model runs on: `grid_rows` x `grid_columns`, or the table's own.
Grid run_grid(const std::string& kind, const Options& options, const Grid& table);

/// What part each of `from` places has in each of `to` places that span the same line, [to][from]: linear
/// interpolation between the middles of the places (align_corners = false), without extrapolation.
std::vector<std::vector<double>> linear_resize(Index from, Index to);

/// Throws unless every token that has a position stands in the grid.
void require_cells(const std::string& kind, const Positions& positions, const Grid& grid);

/// "8 x 8, resized to 16 x 16"
std::string grid_text(const Grid& table, const Grid& run);

}  // namespace LOCUS_SCALAR
}  // namespace locus
