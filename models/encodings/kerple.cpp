// KERPLE (arXiv:2205.09921): a learned penalty that grows with the logarithm or a power of the distance.

#include <cmath>

#include "framework/ops/elementwise.h"
#include "framework/ops/log1p.h"
#include "framework/ops/shape.h"
#include "models/distances.h"
#include "models/encoding.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

// The authors' code projects its parameters before every forward pass; here initial values and updates are
// projected, which is the same. A clamp inside the pass would hold a parameter for ever: no gradient is left
// there.
constexpr double kerple_min = 0.01, kerple_max_exponent = 2;

/// log: -r1 ln(1 + r2 |d|). power: -r1 |d|^r2, 0 < r2 <= 2. One pair (r1, r2) a head, for all layers.
class Kerple : public PositionalEncoding {
  public:
    Kerple(const Options& options, const EncodingShape& shape, const ParameterScope& scope)
        : power_(options.text("variant") == "power"), heads_(shape.heads) {
        // names and ranges of the authors' code, in which p and a change their parts
        const Bounds p_bounds{kerple_min, power_ ? kerple_max_exponent : Bounds{}.max};
        const Parameter p = scope.add("bias_p", {heads_}, Initial::uniform(2), Decay::matrices, p_bounds);
        const Parameter a =
            scope.add("bias_a", {heads_}, Initial::uniform(1), Decay::matrices, {kerple_min, Bounds{}.max});
        r1_ = power_ ? a : p;
        r2_ = power_ ? p : a;
    }

    PositionTerms terms(const Positions& query, const Positions& key, const Context&) const override {
        PositionTerms terms;
        terms.bias = distance_bias(query, key);
        const Index count = rows_by_size(terms.bias);
        const Variable r1 = reshape(r1_, {heads_, 1}), r2 = reshape(r2_, {heads_, 1});
        terms.bias.table = multiply(scale(r1, -1), power_ ? powers(r2, count) : logarithms(r2, count));
        return terms;
    }

    void describe(EncodingCard& card, const CardRequest& request) const override {
        card.conventions["bias"] = fmt::format("{}, added after the logits are scaled",
                                               power_ ? "-r1 |distance|^r2" : "-r1 ln(1 + r2 |distance|)");
        card.conventions["parameters"] =
            fmt::format("r1 and r2 per head, shared by all layers, kept at {} or more{}", kerple_min,
                        power_ ? fmt::format(", r2 at {} or less", kerple_max_exponent) : "");
        card.conventions["r1"] = list(r1_);
        card.conventions["r2"] = list(r2_);
        card.distances = request.distances;
        card.bias.resize(static_cast<std::size_t>(heads_));
        for (std::int64_t distance : request.distances) {
            card.rows.push_back(static_cast<std::int32_t>(std::abs(distance)));
            for (Index h = 0; h < heads_; ++h)
                card.bias[static_cast<std::size_t>(h)].push_back(bias(h, distance));
        }
    }

  private:
    // ln(1 + r2 d): [heads, count]
    static Variable logarithms(const Variable& r2, Index count) {
        return log1p(multiply(r2, row_of(count, [](double d) { return d; })));
    }

    // d^r2 = exp(r2 ln d): [heads, count]. At d = 0 it is 0 for every r2, and so is its derivative: the
    // column is a constant times a constant, so that ln 0 never meets a gradient.
    static Variable powers(const Variable& r2, Index count) {
        const Variable logs = row_of(count, [](double d) { return d == 0 ? 0 : std::log(d); });
        const Variable apart = row_of(count, [](double d) { return d == 0 ? 0 : 1; });
        return multiply(exponential(multiply(r2, logs)), apart);
    }

    double bias(Index head, std::int64_t distance) const {
        const auto r1 = static_cast<double>(r1_.value().data()[head]);
        const auto r2 = static_cast<double>(r2_.value().data()[head]);
        const auto size = static_cast<double>(std::abs(distance));
        return -r1 * (power_ ? std::pow(size, r2) : std::log1p(r2 * size));
    }

    static std::string list(const Parameter& parameter) {
        std::string text;
        for (Scalar value : parameter.value().values())
            text += fmt::format("{}{:.6g}", text.empty() ? "" : ", ", value);
        return text;
    }

    bool power_;
    Index heads_;
    Parameter r1_, r2_;  // [heads]
};

const bool kerple_registered = EncodingRegistry::instance().add(
    "kerple", {.doc = "a learned penalty by the logarithm or a power of the distance, shared by all layers "
                      "(arXiv:2205.09921)",
               .options = {{.name = "variant",
                            .standard = std::string("log"),
                            .doc = "log: -r1 ln(1 + r2 |d|); power: -r1 |d|^r2",
                            .choices = {"log", "power"}}},
               .make = [](const Options& options, const EncodingShape& shape, const ParameterScope& scope) {
                   return std::make_unique<Kerple>(options, shape, scope);
               }});

}  // namespace

}  // namespace LOCUS_SCALAR
}  // namespace locus
