// ALiBi (arXiv:2108.12409): a penalty proportional to the distance, added to the scaled logits.

#include <cmath>

#include "framework/ops/elementwise.h"
#include "framework/ops/shape.h"
#include "models/distances.h"
#include "models/encoding.h"
#include "models/scaling.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

// 2^(-8h / heads), h from 1: the rule for powers of two.
std::vector<double> geometric_slopes(Index heads) {
    std::vector<double> slopes;
    for (Index h = 1; h <= heads; ++h) {
        slopes.push_back(std::exp2(-8.0 * static_cast<double>(h) / static_cast<double>(heads)));
    }
    return slopes;
}

// The rule of the authors' code for any head count: the slopes of the power of two below, then every second
// of the slopes of twice as many.
std::vector<double> paper_slopes(Index heads) {
    Index power = 1;
    while (2 * power <= heads) power *= 2;
    std::vector<double> slopes = geometric_slopes(power);
    const std::vector<double> finer = geometric_slopes(2 * power);
    for (std::size_t i = 0; static_cast<Index>(slopes.size()) < heads; i += 2) slopes.push_back(finer[i]);
    return slopes;
}

class Alibi : public PositionalEncoding {
  public:
    Alibi(const Options& options, const EncodingShape& shape, const ParameterScope& scope)
        : rule_(options.text("slopes")),
          site_(shape.site),
          factor_(distance_factor(scaling_of(options), shape.train_length)),
          fixed_(rule_ == "naive" ? geometric_slopes(shape.heads) : paper_slopes(shape.heads)) {
        if (rule_ == "learned") learned_ = scope.add("slopes", {shape.heads}, Initial::given(fixed_));
    }

    PositionTerms terms(const Positions& query, const Positions& key, const Context&) const override {
        PositionTerms terms;
        terms.bias = distance_bias(query, key);
        const Variable penalties =
            row_of(rows_by_size(terms.bias), [this](double d) { return -d / factor_; });
        terms.bias.table = multiply(slopes(), penalties);
        return terms;
    }

    void describe(EncodingCard& card, const CardRequest& request) const override {
        card.slopes = fixed_;
        if (learned_) card.slopes.assign(learned_.value().values().begin(), learned_.value().values().end());
        card.conventions["slopes"] = slopes_text();
        card.conventions["bias"] =
            site_ == Site::self_causal
                ? "-slope distance, added after the logits are scaled"
                : "-slope |distance|, the same before and after the query, added after the logits are scaled";
        if (factor_ != 1)
            card.conventions["scaling"] = fmt::format("linear: distances divided by {}", factor_);
        card.distances = request.distances;
        card.bias.resize(card.slopes.size());
        for (std::int64_t distance : request.distances) {
            card.rows.push_back(static_cast<std::int32_t>(std::abs(distance)));
            for (std::size_t h = 0; h < card.slopes.size(); ++h)
                card.bias[h].push_back(-card.slopes[h] * static_cast<double>(std::abs(distance)) / factor_);
        }
    }

  private:
    // [heads, 1]
    Variable slopes() const {
        const auto heads = static_cast<Index>(fixed_.size());
        if (learned_) return reshape(learned_, {heads, 1});
        MutableTensor slopes = Tensor::empty({heads, 1});
        std::transform(fixed_.begin(), fixed_.end(), slopes.data(),
                       [](double slope) { return static_cast<Scalar>(slope); });
        return slopes;
    }

    std::string slopes_text() const {
        if (rule_ == "naive") return "naive: 2^(-8h/heads) for every head count, not the authors' rule";
        const std::string paper = "the authors' code: powers of two, then every second of twice as many";
        return rule_ == "learned" ? "learned, from those of " + paper : paper;
    }

    std::string rule_;
    Site site_;
    double factor_;              // of position interpolation (arXiv:2310.13017); 1: none
    std::vector<double> fixed_;  // [heads]
    Parameter learned_;          // [heads]
};

const bool alibi_registered = EncodingRegistry::instance().add(
    "alibi",
    {.doc = "a penalty linear in the distance, by a slope per head (arXiv:2108.12409)",
     .options = {{.name = "slopes",
                  .standard = std::string("paper"),
                  .doc = "the authors' code; learned, beginning there; or naive, 2^(-8h/heads) for all heads",
                  .choices = {"paper", "learned", "naive"}}},
     .scaling = ScalingSupport::linear,
     .make = [](const Options& options, const EncodingShape& shape, const ParameterScope& scope) {
         return std::make_unique<Alibi>(options, shape, scope);
     }});

}  // namespace

}  // namespace LOCUS_SCALAR
}  // namespace locus
