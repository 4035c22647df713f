// Relative position representations (Shaw et al., arXiv:1803.02155): a learned vector for every clipped
// distance is added to keys and to values.

#include <algorithm>
#include <cmath>

#include "models/distances.h"
#include "models/encoding.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

class Shaw : public PositionalEncoding {
  public:
    Shaw(const Options& options, const EncodingShape& shape, const ParameterScope& scope)
        : width_(shape.heads * shape.head_dim),
          clip_(options.integer("max_relative_position")),
          per_head_(options.flag("per_head")) {
        const Shape table{per_head_ ? shape.heads : 1, 2 * clip_ + 1, shape.head_dim};
        // the spread of the authors' tables in tensor2tensor: variance 1 / mean of rows and columns
        const double spread = std::sqrt(2.0 / static_cast<double>(2 * clip_ + 1 + shape.head_dim));
        for (Index layer = 0; layer < shape.layers; ++layer) {
            const ParameterScope inside = scope.inside("layer." + std::to_string(layer));
            keys_.push_back(inside.add("keys", table, Initial::normal(spread)));
            if (options.flag("values"))
                values_.push_back(inside.add("values", table, Initial::normal(spread)));
        }
    }

    PositionTerms terms(const Positions& query, const Positions& key, const Context& context) const override {
        const auto layer = static_cast<std::size_t>(context.layer);
        PositionTerms terms;
        terms.relative_keys = relative_vectors(query, key);
        for (std::size_t i = 0; i < terms.relative_keys.rows.size(); ++i) {
            terms.relative_keys.rows[i] = row(terms.relative_keys.first + static_cast<std::int64_t>(i));
        }
        if (!values_.empty()) {
            terms.relative_values = terms.relative_keys;
            terms.relative_values.table = values_[layer];
        }
        terms.relative_keys.table = keys_[layer];
        return terms;
    }

    bool varies_by_layer() const override { return true; }

    // A query times the vectors of the distances that it sees, and their weights times those of values.
    double flops_per_token(Index length) const override {
        const auto tables = static_cast<double>(keys_.size() + values_.size());
        return 6 * tables * static_cast<double>(width_) * mean_rows_met(length, clip_ + 1);
    }

    void describe(EncodingCard& card, const CardRequest& request) const override {
        card.distances = request.distances;
        for (std::int64_t distance : request.distances) card.rows.push_back(row(distance));
        card.conventions["row of a distance"] = "clip(key - query, -k, k) + k";
        card.conventions["k"] = std::to_string(clip_);
        card.conventions["tables"] = std::string(values_.empty() ? "keys" : "keys and values") +
                                     ", a layer each, " + (per_head_ ? "a head each" : "shared by the heads");
        card.conventions["scale"] = "on both terms of a logit";
    }

  private:
    // clip(j - i) + k, where the distance is i - j.
    std::int32_t row(std::int64_t distance) const {
        return static_cast<std::int32_t>(std::clamp<std::int64_t>(-distance, -clip_, clip_) + clip_);
    }

    Index width_;  // of all heads
    Index clip_;
    bool per_head_;
    std::vector<Parameter> keys_, values_;  // [1 or heads, 2 k + 1, head_dim], by layer
};

const bool shaw_registered = EncodingRegistry::instance().add(
    "shaw",
    {.doc = "a learned vector per clipped distance, added to keys and values (Shaw et al., arXiv:1803.02155)",
     .options = {{.name = "max_relative_position",
                  .standard = Index{16},
                  .doc = "k: distances are clipped to -k .. k (the paper's base model: 16)",
                  .min = 1,
                  .max = 1e6},
                 {.name = "values", .standard = true, .doc = "vectors for values, too; false: for keys only"},
                 {.name = "per_head",
                  .standard = false,
                  .doc = "a table for each head; false: one for all heads"}},
     .cautions = [](const Options& options, const EncodingShape&, Index reach) -> std::vector<std::string> {
         const Index clip = options.integer("max_relative_position");
         if (clip < reach) return {};
         return {
             fmt::format("encoding shaw: vectors of distances from {} to {} get no gradient in windows of {}",
                         reach, clip, reach)};
     },
     .make = [](const Options& options, const EncodingShape& shape,
                const ParameterScope& scope) { return std::make_unique<Shaw>(options, shape, scope); }});

}  // namespace

}  // namespace LOCUS_SCALAR
}  // namespace locus
