// Contextual position encoding (CoPE, arXiv:2405.18719): a position is a count of keys that the query's gates
// let through.

#include "models/distances.h"
#include "models/encoding.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

class Cope : public PositionalEncoding {
  public:
    Cope(const Options& options, const EncodingShape& shape, const ParameterScope& scope)
        : width_(shape.layers * shape.heads * shape.head_dim),
          rows_(options.integer("npos_max")),
          scaled_gate_(options.text("gate") == "scaled"),
          scaled_term_(!options.flag("nodiv")) {
        require(shape.site == Site::self_causal,
                "encoding cope: counts back from the query: needs a causal mask");
        const bool shared = options.flag("shared");
        for (Index layer = 0; layer < (shared ? 1 : shape.layers); ++layer) {
            const std::string name = shared ? "table" : "layer." + std::to_string(layer) + ".table";
            tables_.push_back(scope.add(name, {1, rows_, shape.head_dim}, Initial::zeros()));
        }
    }

    PositionTerms terms(const Positions&, const Positions&, const Context& context) const override {
        const std::size_t layer = tables_.size() == 1 ? 0 : static_cast<std::size_t>(context.layer);
        PositionTerms terms;
        terms.count = {tables_[layer], scaled_gate_, scaled_term_};
        return terms;
    }

    bool varies_by_layer() const override { return tables_.size() > 1; }

    // A query times the rows that it may count up to.
    double flops_per_token(Index length) const override {
        return 6 * static_cast<double>(width_) * mean_rows_met(length, rows_);
    }

    void describe(EncodingCard& card, const CardRequest&) const override {
        card.conventions["position"] =
            "sum of sigmoid(gate logit) over the keys from j to the query, both included";
        card.conventions["gate logit"] = scaled_gate_ ? "q k / sqrt(head_dim)" : "q k";
        card.conventions["greatest position"] = std::to_string(rows_ - 1);
        card.conventions["scale"] = scaled_term_ ? "on both terms of a logit" : "on q k only";
        card.conventions["tables"] = tables_.size() == 1 ? "shared by the layers" : "a layer each";
    }

  private:
    Index width_;  // of all heads of all layers
    Index rows_;
    bool scaled_gate_, scaled_term_;
    std::vector<Parameter> tables_;  // [1, rows, head_dim]
};

const bool cope_registered = EncodingRegistry::instance().add(
    "cope",
    {.doc = "positions counted by gates on the content (CoPE, arXiv:2405.18719); causal only",
     .options = {{.name = "npos_max",
                  .standard = Index{0},
                  .doc =
                      "rows of the table, greatest position + 1; 0: train.length + 1, as the authors' code",
                  .min = 0,
                  .max = 1e9},
                 {.name = "gate",
                  .standard = std::string("scaled"),
                  .doc = "sigmoid of the scaled logit (the authors' code) or of q k (the paper's text)",
                  .choices = {"scaled", "unscaled"}},
                 {.name = "nodiv",
                  .standard = false,
                  .doc = "the position's term is not divided by sqrt(head_dim) (the code's --cope-nodiv)"},
                 {.name = "shared", .standard = false, .doc = "one table for all layers"}},
     .axes = {1, 2, 3},
     .causal_only = true,
     .reads_positions = false,
     .resolve =
         [](Options& options, const EncodingShape& shape) {
             if (options.integer("npos_max") == 0) options.set("npos_max", shape.train_length + 1);
         },
     .cautions = [](const Options& options, const EncodingShape&, Index reach) -> std::vector<std::string> {
         const Index rows = options.integer("npos_max");
         if (rows <= reach + 1) return {};
         return {fmt::format("encoding cope: rows {} to {} of its table get no gradient in windows of {}",
                             reach + 1, rows - 1, reach)};
     },
     .make = [](const Options& options, const EncodingShape& shape,
                const ParameterScope& scope) { return std::make_unique<Cope>(options, shape, scope); }});

}  // namespace

}  // namespace LOCUS_SCALAR
}  // namespace locus
