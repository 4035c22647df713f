// A learned vector for each position, added to the token embeddings (arXiv:1810.04805, GPT-2).

#include "framework/ops/elementwise.h"
#include "framework/ops/embedding.h"
#include "models/encoding.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

class Learned : public PositionalEncoding {
  public:
    Learned(const Options& options, const EncodingShape& shape, const ParameterScope& scope)
        : rows_(options.integer("max_length")),
          table_(scope.add("table", {rows_, shape.width}, Initial::normal(shape.deviation))) {}

    PositionTerms terms(const Positions& query, const Positions&, const Context&) const override {
        require(query.max() < rows_ && query.min() >= 0,
                "encoding learned: positions {} to {}, but the table holds 0 to {}", query.min(), query.max(),
                rows_ - 1);
        WorkVector<Token> ids;
        ids.reserve(static_cast<std::size_t>(query.batch() * query.length()));
        const MutableTensor placed =
            Tensor::empty({query.batch(), query.length(), 1});  // 0: nothing is added
        bool everywhere = true;
        for (Index b = 0; b < query.batch(); ++b) {
            for (Index t = 0; t < query.length(); ++t) {
                const bool here = query(b, t) != Positions::none;
                everywhere = everywhere && here;
                placed.data()[b * query.length() + t] = static_cast<Scalar>(here ? 1 : 0);
                ids.push_back(here ? static_cast<Token>(query(b, t)) : 0);
            }
        }
        PositionTerms terms;
        terms.embedding = embedding(table_, std::move(ids), query.batch(), query.length());
        if (!everywhere) terms.embedding = multiply(terms.embedding, placed);
        return terms;
    }

    std::optional<Index> longest() const override { return rows_; }

    void describe(EncodingCard& card, const CardRequest& request) const override {
        card.conventions["rows"] = std::to_string(rows_);
        card.conventions["beyond the table"] = "no value";
        const Index width = table_.value().size(1);
        for (std::int64_t position : request.positions) {
            require(position >= 0 && position < rows_,
                    "encoding learned: position {} is beyond the table of {} rows", position, rows_);
            const Scalar* row = table_.value().data() + position * width;
            card.embedding.emplace_back(row, row + width);
        }
    }

  private:
    Index rows_;
    Parameter table_;
};

const bool learned_registered = EncodingRegistry::instance().add(
    "learned",
    {.doc = "a learned vector per position, added to the embeddings (GPT-2); no value beyond the table",
     .options = {{.name = "max_length",
                  .standard = Index{0},
                  .doc = "rows of the table; 0: train.length",
                  .min = 0}},
     .resolve =
         [](Options& options, const EncodingShape& shape) {
             if (options.integer("max_length") == 0) options.set("max_length", shape.train_length);
         },
     .cautions = [](const Options& options, const EncodingShape&, Index reach) -> std::vector<std::string> {
         const Index rows = options.integer("max_length");
         if (rows <= reach) return {};
         return {fmt::format("encoding learned: positions {} to {} of its table get no gradient in training",
                             reach, rows - 1)};
     },
     .make = [](const Options& options, const EncodingShape& shape,
                const ParameterScope& scope) { return std::make_unique<Learned>(options, shape, scope); }});

}  // namespace

}  // namespace LOCUS_SCALAR
}  // namespace locus
