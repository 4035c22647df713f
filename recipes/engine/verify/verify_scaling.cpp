// The checks of context extension: identities between the rules, and what a rule that looks at the length
// does to cached keys.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "models/scaling.h"
#include "recipes/engine/verify/verify_checks.h"

namespace locus {

namespace {

constexpr double table_limit = 1e-12;  // relative, of tables in double

// Tables of every rule for the same head, base and trained length.
struct RuleTables {
    FrequencyRequest request;

    std::vector<double> table(const std::string& rule, const RuleChoices& choices) const {
        const FrequencyRule& entry = FrequencyRegistry::instance().at(rule);
        Options options(entry.options);
        for (const auto& [name, value] : choices) options.set(name, value);
        return entry.frequencies(request, options).inverse;
    }
    RuleTables at(Index length) const {
        RuleTables other = *this;
        other.request.length = length;
        return other;
    }
    RuleChoices of_factor(const std::string& rule, double factor) const {
        return FrequencyRegistry::instance().at(rule).reaching(factor, request.width / 2);
    }
};

double furthest(const std::vector<double>& a, const std::vector<double>& b) {
    double max = a.size() == b.size() ? 0 : NAN;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        max = std::max(max, std::abs(a[i] - b[i]) / std::abs(b[i]));
    return max;
}

// Pairs that a ramp keeps or interpolates in full are bit for bit those of plain RoPE or of interpolation;
// none lies outside of the two.
double outside_of_blend(const std::vector<double>& blend, const std::vector<double>& plain,
                        const std::vector<double>& linear) {
    double max = 0;
    for (std::size_t i = 0; i < blend.size(); ++i)
        max = std::max({max, blend[i] / plain[i] - 1, linear[i] / blend[i] - 1});
    return max;
}

void check_identities(const RuleTables& rules, const TakeCheck& take) {
    const Index trained = rules.request.trained_length;
    const RuleTables within = rules.at(trained), beyond = rules.at(4 * trained);
    const std::vector<double> plain = rules.table("plain", {});
    for (const std::string& rule : FrequencyRegistry::instance().names()) {
        const FrequencyRule& entry = FrequencyRegistry::instance().at(rule);
        if (!entry.reaching) continue;
        const RuleTables& where = entry.plain_within_only ? within : beyond;
        take({fmt::format("factor 1 of {} = plain RoPE", rule),
              furthest(where.table(rule, rules.of_factor(rule, 1)), plain), 0});
    }
    const std::vector<double> linear = beyond.table("linear", rules.of_factor("linear", 4));
    take({"longrope with all factors s = linear",
          furthest(beyond.table("longrope", rules.of_factor("longrope", 4)), linear), 0});
    take({"dynamic up to the trained length = plain RoPE",
          furthest(within.table("dynamic", rules.of_factor("dynamic", 4)), plain), 0});
    for (const char* rule : {"yarn", "ntk_by_parts", "llama3"})
        take({fmt::format("{} lies between plain and linear", rule),
              outside_of_blend(beyond.table(rule, rules.of_factor(rule, 4)), plain, linear), table_limit});
    const RuleChoices parts = {{"factor", 4.0}, {"beta_fast", 4.0}, {"beta_slow", 1.0}};
    take({"llama3 = ntk_by_parts between 1 and 4 turns",
          furthest(beyond.table("llama3", rules.of_factor("llama3", 4)), beyond.table("ntk_by_parts", parts)),
          table_limit});
    if (rules.request.width <= 2) return;  // one pair: ntk has no exponent
    const std::vector<double> ntk = beyond.table("ntk", rules.of_factor("ntk", 4));
    take({"ntk: the first pair is plain", furthest({ntk.front()}, {plain.front()}), 0});
    take({"ntk: the last pair is linear", furthest({ntk.back()}, {linear.back()}), table_limit});
    RuleChoices as_factors = rules.of_factor("longrope", 4);
    std::vector<double> powers;
    for (std::size_t i = 0; i < ntk.size(); ++i)
        powers.push_back(
            std::pow(4.0, 2 * static_cast<double>(i) / static_cast<double>(rules.request.width - 2)));
    as_factors.back().second = powers;
    take({"longrope with factors s^(2i/(d-2)) = ntk", furthest(beyond.table("longrope", as_factors), ntk),
          table_limit});
}

// Token by token behind a cache that keeps every key as its own step rotated it: the known fault of rules
// that look at the length.
Tensor with_rotated_keys(const VerifySubject& s, const Batch& whole) {
    std::vector<Mask> masks;
    for (Index layer = 0; layer < s.model.options().layers; ++layer) masks.push_back(s.model.mask(layer));
    const ModelOptions& model = s.model.options();
    const CacheShape shape{model.layers, whole.sequences, model.kv_heads, model.head_dim()};
    CacheOptions growing;
    growing.growing = true;
    KvCache cache(shape, growing, std::move(masks), false);
    const MutableTensor out = Tensor::empty({whole.sequences, whole.length, model.vocabulary});
    for (Index t = 0; t < whole.length; ++t) {
        const Tensor logits = logits_of(s.model, whole.run(t, 1), {.cache = &cache});
        std::copy_n(logits.data(), model.vocabulary, out.data() + t * model.vocabulary);
    }
    return out;
}

}  // namespace

void check_scaling_rules(const VerifySubject& s, const TakeCheck& take) {
    if (EncodingRegistry::instance().at(s.recipe.encoding.kind).scaling != ScalingSupport::every_rule) return;
    if (!s.recipe.encoding.options.has("base")) return;  // the tables begin with it
    EncodingCard card;
    CardRequest request;
    request.length = s.trained;
    s.model.encoding().describe(card, request);
    RuleTables rules;
    rules.request.width = 2 * static_cast<Index>(card.inv_freq.size());
    rules.request.base = s.recipe.encoding.options.number("base");
    rules.request.trained_length = std::max<Index>(2, s.trained);
    if (rules.request.base > 1) check_identities(rules, take);
}

void check_length_rule(const VerifySubject& s, const TakeCheck& take) {
    if (!s.model.encoding().varies_by_length() || !s.drawn || !s.recipe.mask.causal) return;
    const Batch whole = text_batch(s.model, s.recipe, drawn_tokens(s.model, s.length, 0));
    const Tensor fixed = logits_of(s.model, whole, LengthMode{"", s.length}.pass());
    const Tensor growing = logits_of(s.model, whole, LengthMode{"", 0}.pass());
    take({"growing steps differ from a fixed pass", largest_difference(growing, fixed), 1e-3, true});
    take({"rotated keys that are kept while the length grows are noticed",
          largest_difference(with_rotated_keys(s, whole), growing), 1e-3, true});
}

}  // namespace locus
