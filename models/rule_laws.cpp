#include "models/rule_laws.h"

#include <algorithm>
#include <cmath>

namespace locus {

namespace {

constexpr double table_limit = 1e-12;  // relative, of tables in double

/// Tables of every rule for the same head, base and trained length.
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

}  // namespace

std::vector<RuleLaw> rule_laws(const FrequencyRequest& request) {
    const RuleTables rules{request};
    std::vector<RuleLaw> laws;
    const auto take = [&](RuleLaw law) { laws.push_back(std::move(law)); };
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
    if (rules.request.width <= 2) return laws;  // one pair: ntk has no exponent
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
    return laws;
}

}  // namespace locus
