// T5's relative bias (arXiv:1910.10683): one learned number a head and bucket of distances.

#include <algorithm>
#include <cmath>

#include "framework/ops/elementwise.h"
#include "models/distances.h"
#include "models/encoding.h"
#include "models/scaling.h"

namespace locus::inline LOCUS_SCALAR {

namespace {

// Bucket of query position - key position. Half of the buckets hold one distance each, the others grow
// logarithmically up to max_distance; without causality the keys after the query have buckets of their own.
std::int32_t bucket_of(std::int64_t distance, bool causal, Index buckets, Index max_distance) {
    Index offset = 0;
    if (!causal) {
        buckets /= 2;
        if (distance < 0) offset = buckets;
    }
    const std::int64_t n = causal ? std::max<std::int64_t>(distance, 0) : std::abs(distance);
    const Index exact = buckets / 2;
    if (n < exact) return static_cast<std::int32_t>(offset + n);
    const double grown = std::log(static_cast<double>(n) / static_cast<double>(exact)) /
                         std::log(static_cast<double>(max_distance) / static_cast<double>(exact)) *
                         static_cast<double>(buckets - exact);
    // a distance that lies on the edge of a bucket belongs to it, whatever the rounding of the logarithms
    const auto logarithmic = static_cast<Index>(std::floor(grown + 1e-9));
    return static_cast<std::int32_t>(offset + std::min(buckets - 1, exact + logarithmic));
}

class T5 : public PositionalEncoding {
  public:
    T5(const Options& options, const EncodingShape& shape, const ParameterScope& scope)
        : buckets_(options.integer("relative_attention_num_buckets")),
          max_distance_(options.integer("relative_attention_max_distance")),
          causal_(shape.site == Site::self_causal),
          scaled_(options.text("logits") == "scaled"),
          bias_scale_(options.text("bias_scale") == "one" ? 1
                                                          : std::sqrt(static_cast<double>(shape.head_dim))),
          factor_(distance_factor(scaling_of(options), shape.train_length)),
          table_(scope.add("relative_attention_bias", {shape.heads, buckets_}, Initial::normal(0.02))) {
        const Index side = causal_ ? buckets_ : buckets_ / 2;
        require(buckets_ % 2 == 0 && side >= 2 && side % 2 == 0,
                "encoding t5: relative_attention_num_buckets must be even{}, at least {}, found {}",
                causal_ ? "" : " on each side", causal_ ? 2 : 4, buckets_);
        require(
            max_distance_ > side / 2,
            "encoding t5: relative_attention_max_distance {} must exceed the {} distances with a bucket each",
            max_distance_, side / 2);
    }

    PositionTerms terms(const Positions& query, const Positions& key, const Context&) const override {
        PositionTerms terms;
        terms.bias = distance_bias(query, key);
        for (std::size_t d = 0; d < terms.bias.rows.size(); ++d) {
            terms.bias.rows[d] = bucket(terms.bias.first + static_cast<std::int64_t>(d));
        }
        terms.bias.table = bias_scale_ == 1 ? table_ : scale(table_, static_cast<Scalar>(bias_scale_));
        if (!scaled_) terms.logit_scale = 1;
        return terms;
    }

    void describe(EncodingCard& card, const CardRequest& request) const override {
        card.conventions["logits"] = scaled_ ? "scaled by 1 / sqrt(head_dim)" : "unscaled, as in the paper";
        card.conventions["buckets"] = causal_ ? "causal" : "bidirectional";
        if (factor_ != 1)
            card.conventions["scaling"] =
                fmt::format("linear: the bucket of distance / {}, rounded to zero", factor_);
        card.conventions["table"] = "shared by all layers";
        card.conventions["bias"] = bias_scale_ == 1
                                       ? "the table's entries"
                                       : fmt::format("the table's entries times {}", bias_scale_);
        if (!scaled_) card.logit_scale = 1;
        card.distances = request.distances;
        card.bias.resize(static_cast<std::size_t>(table_.value().size(0)));
        for (std::int64_t distance : request.distances) {
            card.rows.push_back(bucket(distance));
            for (std::size_t h = 0; h < card.bias.size(); ++h) {
                const Index at = static_cast<Index>(h) * buckets_ + card.rows.back();
                card.bias[h].push_back(bias_scale_ * static_cast<double>(table_.value().data()[at]));
            }
        }
    }

  private:
    std::int32_t bucket(std::int64_t distance) const {
        // Rounded towards 0, so that a distance and its opposite stay opposites.
        const auto near =
            factor_ == 1 ? distance : static_cast<std::int64_t>(static_cast<double>(distance) / factor_);
        return bucket_of(near, causal_, buckets_, max_distance_);
    }

    Index buckets_, max_distance_;
    bool causal_, scaled_;
    double bias_scale_;
    double factor_;    // of position interpolation; 1: none
    Parameter table_;  // [heads, buckets]
};

const bool t5_registered = EncodingRegistry::instance().add(
    "t5",
    {.doc = "a learned bias a head and bucket of distances, shared by all layers (arXiv:1910.10683)",
     .options = {{.name = "relative_attention_num_buckets",
                  .standard = Index{32},
                  .doc = "buckets, both sides",
                  .least = 2},
                 {.name = "relative_attention_max_distance",
                  .standard = Index{128},
                  .doc = "where the logarithmic buckets end",
                  .least = 2},
                 {.name = "logits",
                  .standard = std::string("scaled"),
                  .doc = "scaled by 1 / sqrt(head_dim) like every other arm, or unscaled as in the paper",
                  .choices = {"scaled", "unscaled"}},
                 {.name = "bias_scale",
                  .standard = std::string("one"),
                  .doc = "what the table is multiplied by; sqrt_head_dim as in GPT-NeoX, which scales logits",
                  .choices = {"one", "sqrt_head_dim"}}},
     .scaling = ScalingSupport::linear,
     .make = [](const Options& options, const EncodingShape& shape, const ParameterScope& scope) {
         return std::make_unique<T5>(options, shape, scope);
     }});

}  // namespace

}  // namespace locus::inline LOCUS_SCALAR
