#include "models/grid_table.h"

#include <algorithm>
#include <cmath>

namespace locus {
inline namespace LOCUS_SCALAR {

std::vector<Option> grid_options() {
    return {
        {.name = "rows",
         .standard = Index{0},
         .doc = "rows of the grid that the table is for; 0 with columns 0: the smallest square of "
                "train.length cells or more",
         .min = 0},
        {.name = "columns", .standard = Index{0}, .doc = "columns of that grid", .min = 0},
        {.name = "grid_rows",
         .standard = Index{0},
         .doc = "rows of the grid that the model runs on, to which the table is resized; 0: rows",
         .min = 0},
        {.name = "grid_columns", .standard = Index{0}, .doc = "columns of that grid; 0: columns", .min = 0}};
}

void resolve_grid(Options& options, const EncodingShape& shape) {
    if (options.integer("rows") != 0 || options.integer("columns") != 0) return;
    Index side = 1;
    while (side * side < shape.train_length) ++side;
    options.set("rows", side);
    options.set("columns", side);
}

Grid table_grid(const std::string& kind, const Options& options) {
    const Grid grid{options.integer("rows"), options.integer("columns")};
    require(grid.rows != 0 && grid.columns != 0,
            "encoding {}: expected both rows and columns or neither, found {} and {}", kind, grid.rows,
            grid.columns);
    return grid;
}

Grid run_grid(const std::string& kind, const Options& options, const Grid& table) {
    const Grid grid{options.integer("grid_rows"), options.integer("grid_columns")};
    require((grid.rows == 0) == (grid.columns == 0),
            "encoding {}: expected both grid_rows and grid_columns or neither, found {} and {}", kind,
            grid.rows, grid.columns);
    return grid.rows == 0 ? table : grid;
}

std::vector<std::vector<double>> linear_resize(Index from, Index to) {
    std::vector<std::vector<double>> parts;
    for (Index i = 0; i < to; ++i) {
        const double middle =
            (static_cast<double>(i) + 0.5) * static_cast<double>(from) / static_cast<double>(to) - 0.5;
        const double place = std::clamp(middle, 0.0, static_cast<double>(from - 1));
        const auto below = static_cast<std::size_t>(place);
        const double part = place - static_cast<double>(below);
        auto& row = parts.emplace_back(static_cast<std::size_t>(from), 0.0);
        row[below] = 1 - part;
        if (part > 0) row[below + 1] = part;
    }
    return parts;
}

void require_cells(const std::string& kind, const Positions& positions, const Grid& grid) {
    require_axes(kind, positions.axes());
    for (Index b = 0; b < positions.batch(); ++b) {
        for (Index t = 0; t < positions.length(); ++t) {
            const std::int64_t row = positions(b, t, 0), column = positions(b, t, 1);
            require(row == Positions::none ||
                        (row >= 0 && row < grid.rows && column >= 0 && column < grid.columns),
                    "encoding {}: row {}, column {}, but the grid has {} rows and {} columns", kind, row,
                    column, grid.rows, grid.columns);
        }
    }
}

std::string grid_text(const Grid& table, const Grid& run) {
    std::string text = fmt::format("{} x {}", table.rows, table.columns);
    if (!(table == run))
        text += fmt::format(", resized to {} x {} (align_corners = false)", run.rows, run.columns);
    return text;
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
