// T5's relative bias (arXiv:1910.10683): one learned number per head and bucket of distances.

#include <algorithm>
#include <cmath>

#include "framework/ops/elementwise.h"
#include "models/distances.h"
#include "models/encoding.h"
#include "models/scaling.h"

namespace locus {
inline namespace LOCUS_SCALAR {

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
          table_(scope.add("relative_attention_bias", {shape.heads, buckets_},
                           Initial::normal(shape.deviation))) {
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

Index side_of(Index buckets, Site site) {
    return site == Site::self_causal ? buckets : buckets / 2;
}

// Open options. The bias gets sqrt(head_dim) where logits are divided by it: a table that moves by the shared
// learning rate then reaches as far as the paper's. The last bucket begins within the training length: 32
// buckets up to 128 (the paper's) from length 128 on, 16 or fewer up to the length below.
void resolve(Options& options, const EncodingShape& shape) {
    if (options.text("bias_scale") == "auto")
        options.set("bias_scale", std::string(options.text("logits") == "scaled" ? "sqrt_head_dim" : "one"));
    Index buckets = options.integer("relative_attention_num_buckets"),
          reach = options.integer("relative_attention_max_distance");
    if (reach == 0) {
        const Index min = std::max<Index>(2, side_of(buckets, shape.site) / 2 + 1);
        reach = std::max(min, std::min<Index>(shape.train_length, 128));
    }
    if (buckets == 0) buckets = reach >= 128 ? 32 : 16;
    const Index min = shape.site == Site::self_causal ? 2 : 4;
    while (options.integer("relative_attention_num_buckets") == 0 && buckets > min &&
           side_of(buckets, shape.site) / 2 >= reach)
        buckets /= 2;
    options.set("relative_attention_num_buckets", buckets);
    options.set("relative_attention_max_distance", reach);
}

// Buckets that no distance below `reach` falls into.
std::vector<std::string> cautions(const Options& options, const EncodingShape& shape, Index reach) {
    const Index buckets = options.integer("relative_attention_num_buckets"),
                max = options.integer("relative_attention_max_distance");
    const bool causal = shape.site == Site::self_causal;
    const Index last = side_of(buckets, shape.site) - 1;
    const auto of = [&](Index distance) { return bucket_of(distance, causal, buckets, max); };
    if (of(reach - 1) >= last) return {};
    Index first = reach;
    while (of(first) == of(reach - 1)) ++first;
    return {fmt::format(
        "encoding t5: buckets {} to {} (distances from {} on) get no gradient in windows of {}; they keep "
        "their initial values",
        of(first), last, first, reach)};
}

const bool t5_registered = EncodingRegistry::instance().add(
    "t5",
    {.doc = "a learned bias per head and bucket of distances, shared by all layers (arXiv:1910.10683)",
     .options =
         {{.name = "relative_attention_num_buckets",
           .standard = Index{0},
           .doc = "buckets, both sides; 0: 32 from train.length 128 on, 16 or fewer below",
           .min = 0},
          {.name = "relative_attention_max_distance",
           .standard = Index{0},
           .doc = "where the logarithmic buckets end; 0: train.length, 128 at most",
           .min = 0},
          {.name = "logits",
           .standard = std::string("scaled"),
           .doc = "scaled by 1 / sqrt(head_dim) like every other arm, or unscaled as in the paper",
           .choices = {"scaled", "unscaled"}},
          {.name = "bias_scale",
           .standard = std::string("auto"),
           .doc = "what the table is multiplied by: sqrt_head_dim where logits are scaled (GPT-NeoX), one "
                  "where they are not (the paper); auto: so",
           .choices = {"auto", "one", "sqrt_head_dim"}}},
     .scaling = ScalingSupport::linear,
     .resolve = resolve,
     .cautions = cautions,
     .make = [](const Options& options, const EncodingShape& shape, const ParameterScope& scope) {
         return std::make_unique<T5>(options, shape, scope);
     }});

}  // namespace

}  // namespace LOCUS_SCALAR
}  // namespace locus
