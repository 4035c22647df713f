// ViT's position embedding (arXiv:2010.11929): a learned vector for every patch in raster order and one for
// the class token, added to the token embeddings. For another grid the table is resized, bilinearly.

#include "framework/core/arena.h"
#include "framework/ops/embedding.h"
#include "framework/ops/matmul.h"
#include "models/grid_table.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

// [1 + run cells, 1 + table cells]: the class token's row stays, a cell's row is the product of the parts of
// its row and of its column.
Tensor resize_matrix(const Grid& table, const Grid& run) {
    const ArenaScope heap(nullptr);
    const auto rows = linear_resize(table.rows, run.rows),
               columns = linear_resize(table.columns, run.columns);
    MutableTensor matrix = Tensor::zeros({1 + run.cells(), 1 + table.cells()});
    Scalar* to = matrix.data();
    *to = 1;
    to += 1 + table.cells();
    for (const auto& row : rows) {
        for (const auto& column : columns) {
            ++to;  // nothing of the class token
            for (double part : row) {
                for (double other : column) *to++ = static_cast<Scalar>(part * other);
            }
        }
    }
    return matrix;
}

class Vit : public PositionalEncoding {
  public:
    Vit(const Options& options, const EncodingShape& shape, const ParameterScope& scope)
        : grid_(table_grid("vit", options)),
          run_(run_grid("vit", options, grid_)),
          table_(scope.add("table", {1 + grid_.cells(), shape.width}, Initial::normal(shape.deviation))) {
        if (!(run_ == grid_)) resize_ = resize_matrix(grid_, run_);
    }

    PositionTerms terms(const Positions& query, const Positions&, const Context&) const override {
        require_cells("vit", query, run_);
        WorkVector<Token> ids;
        ids.reserve(static_cast<std::size_t>(query.batch() * query.length()));
        for (Index b = 0; b < query.batch(); ++b) {
            for (Index t = 0; t < query.length(); ++t) {
                const std::int64_t cell = query(b, t, 0) * run_.columns + query(b, t, 1);
                ids.push_back(query.placed(b, t) ? static_cast<Token>(1 + cell) : 0);
            }
        }
        PositionTerms terms;
        terms.embedding = embedding(resized(), std::move(ids), query.batch(), query.length());
        return terms;
    }

    void describe(EncodingCard& card, const CardRequest& request) const override {
        card.conventions["grid"] = grid_text(grid_, run_);
        card.conventions["token without a position"] =
            "the class token: the table's first row, never resized";
        card.conventions["positions of the card"] =
            fmt::format("cells in raster order, row p / {0}, column p % {0}", run_.columns);
        card.conventions["beyond the grid"] = "no value";
        const Tensor table = resized().value();
        for (std::int64_t position : request.positions) {
            require(position >= 0 && position < run_.cells(),
                    "encoding vit: cell {} is beyond the grid of {}", position, run_.cells());
            const Scalar* row = table.data() + (1 + position) * table.size(1);
            card.embedding.emplace_back(row, row + table.size(1));
        }
    }

  private:
    Variable resized() const { return resize_ ? matmul(resize_, table_) : Variable(table_); }

    Grid grid_, run_;
    Parameter table_;  // [1 + cells, width], class token first
    Tensor resize_;    // empty where the grid is the table's own
};

const bool vit_registered = EncodingRegistry::instance().add(
    "vit",
    {.doc = "a learned vector per patch in raster order, one for the class token, added to the embeddings "
            "(ViT, arXiv:2010.11929)",
     .options = grid_options(),
     .axes = {2},
     .resolve = resolve_grid,
     .make = [](const Options& options, const EncodingShape& shape, const ParameterScope& scope) {
         return std::make_unique<Vit>(options, shape, scope);
     }});

}  // namespace

}  // namespace LOCUS_SCALAR
}  // namespace locus
