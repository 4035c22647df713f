// A learned vector for every row and one for every column, side by side, added to the token embeddings (ViT's
// 2-D variant, arXiv:2010.11929, appendix D.4). For another grid each table is resized, linearly.

#include "framework/core/arena.h"
#include "framework/ops/elementwise.h"
#include "framework/ops/embedding.h"
#include "framework/ops/matmul.h"
#include "framework/ops/shape.h"
#include "models/grid_table.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

// [run rows + columns, table rows + columns]: rows of rows, columns of columns.
Tensor axis_resize_matrix(const Grid& table, const Grid& run) {
    const ArenaScope heap(nullptr);
    const Index width = table.rows + table.columns;
    MutableTensor matrix = Tensor::zeros({run.rows + run.columns, width});
    const auto write = [&](const std::vector<std::vector<double>>& parts, Index first_row,
                           Index first_column) {
        Scalar* to = matrix.data() + first_row * width + first_column;
        for (const auto& row : parts) {
            for (std::size_t k = 0; k < row.size(); ++k) to[k] = static_cast<Scalar>(row[k]);
            to += width;
        }
    };
    write(linear_resize(table.rows, run.rows), 0, 0);
    write(linear_resize(table.columns, run.columns), run.rows, table.rows);
    return matrix;
}

Index half_width(Index width) {
    require(width % 2 == 0,
            "encoding learned_2d: expected an even model.width (half a row's, half a column's), "
            "found {}",
            width);
    return width / 2;
}

class Learned2d : public PositionalEncoding {
  public:
    Learned2d(const Options& options, const EncodingShape& shape, const ParameterScope& scope)
        : grid_(table_grid("learned_2d", options)),
          run_(run_grid("learned_2d", options, grid_)),
          table_(scope.add("table", {grid_.rows + grid_.columns, half_width(shape.width)},
                           Initial::normal(shape.deviation))) {
        if (!(run_ == grid_)) resize_ = axis_resize_matrix(grid_, run_);
    }

    PositionTerms terms(const Positions& query, const Positions&, const Context&) const override {
        require_cells("learned_2d", query, run_);
        const Index batch = query.batch(), length = query.length();
        WorkVector<Token> ids;  // a row's and a column's for every token: side by side they are its vector
        ids.reserve(static_cast<std::size_t>(2 * batch * length));
        MutableTensor placed = Tensor::empty({batch, length, 1});
        bool all = true;
        for (Index b = 0; b < batch; ++b) {
            for (Index t = 0; t < length; ++t) {
                const bool here = query.placed(b, t);
                ids.push_back(here ? static_cast<Token>(query(b, t, 0)) : 0);
                ids.push_back(here ? static_cast<Token>(run_.rows + query(b, t, 1)) : 0);
                placed.data()[b * length + t] = here ? 1 : 0;
                all = all && here;
            }
        }
        const Variable halves = embedding(resized(), std::move(ids), batch, 2 * length);
        PositionTerms terms;
        terms.embedding = reshape(halves, {batch, length, 2 * halves.size(2)});
        if (!all) terms.embedding = multiply(terms.embedding, placed);
        return terms;
    }

    void describe(EncodingCard& card, const CardRequest& request) const override {
        card.conventions["grid"] = grid_text(grid_, run_);
        card.conventions["halves"] = "the row's vector, then the column's";
        card.conventions["token without a position"] = "nothing is added";
        card.conventions["positions of the card"] =
            fmt::format("cells in raster order, row p / {0}, column p % {0}", run_.columns);
        card.conventions["beyond the grid"] = "no value";
        const Tensor table = resized().value();
        const Index half = table.size(1);
        for (std::int64_t position : request.positions) {
            require(position >= 0 && position < run_.cells(),
                    "encoding learned_2d: cell {} is beyond the grid of {}", position, run_.cells());
            const Scalar* row = table.data() + position / run_.columns * half;
            const Scalar* column = table.data() + (run_.rows + position % run_.columns) * half;
            auto& vector = card.embedding.emplace_back(row, row + half);
            vector.insert(vector.end(), column, column + half);
        }
    }

  private:
    Variable resized() const { return resize_ ? matmul(resize_, table_) : Variable(table_); }

    Grid grid_, run_;
    Parameter table_;  // [rows + columns, width / 2]: the table of rows above that of columns
    Tensor resize_;    // empty where the grid is the table's own
};

const bool learned_2d_registered = EncodingRegistry::instance().add(
    "learned_2d",
    {.doc = "a learned vector per row and one per column of a grid, side by side, added to the embeddings "
            "(arXiv:2010.11929)",
     .options = grid_options(),
     .axes = {2},
     .resolve = resolve_grid,
     .make = [](const Options& options, const EncodingShape& shape, const ParameterScope& scope) {
         return std::make_unique<Learned2d>(options, shape, scope);
     }});

}  // namespace

}  // namespace LOCUS_SCALAR
}  // namespace locus
