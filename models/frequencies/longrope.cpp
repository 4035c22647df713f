// LongRoPE (arXiv:2402.13753): a factor for each pair, found by search; one list within the trained length,
// one beyond. The first n-hat positions may keep RoPE's own angles.

#include <cmath>

#include "models/scaling.h"

namespace locus {

namespace {

using PairFactors = std::vector<double>;

void check_pair_factors(const char* name, const PairFactors& factors, Index pairs) {
    require(static_cast<Index>(factors.size()) == pairs,
            "scaling longrope: {}: expected {} factors, one per pair, found {}", name, pairs, factors.size());
    // A search begins at 1; models that were trained with a list have a first factor a little below it.
    for (std::size_t i = 0; i < factors.size(); ++i) {
        require(factors[i] > 0, "scaling longrope: {}: expected factors above 0, found {} for pair {}", name,
                factors[i], i);
        require(i == 0 || factors[i] >= factors[i - 1],
                "scaling longrope: {}: factors must not fall: {} for pair {} after {}", name, factors[i], i,
                factors[i - 1]);
    }
}

double longrope_magnitude(const FrequencyRequest& request, const Options& options, std::string& said) {
    if (const double given = options.number("attention_factor"); given != 0) {
        said = fmt::format("attention_factor {} as given", given);
        return given;
    }
    const double factor = factor_of("longrope", request.trained_length, options);
    const auto trained = static_cast<double>(request.trained_length);
    if (options.text("magnitude") == "yarn") {
        said = "0.1 ln s + 1";
        return factor <= 1 ? 1 : 0.1 * std::log(factor) + 1;
    }
    said = "sqrt(1 + ln s / ln L)";
    require(request.trained_length > 1,
            "scaling longrope: original_length: expected 2 or more tokens for its logarithm, found {}",
            request.trained_length);
    return factor <= 1 ? 1 : std::sqrt(1 + std::log(factor) / std::log(trained));
}

Frequencies longrope_frequencies(const FrequencyRequest& request, const Options& options) {
    const Index pairs = request.width / 2, trained = request.trained_length;
    PairFactors near = options.numbers("short_factor");
    const PairFactors far = options.numbers("long_factor");
    if (near.empty()) near.assign(static_cast<std::size_t>(pairs), 1.0);
    check_pair_factors("short_factor", near, pairs);
    check_pair_factors("long_factor", far, pairs);
    // Both lengths are checked, whichever is asked for.
    if (options.number("factor") != 0 || options.integer("target_length") != 0)
        factor_of("longrope", trained, options);
    const bool is_far = request.length > trained;
    const PairFactors& factors = is_far ? far : near;
    Frequencies frequencies{.inverse = plain_frequencies(request)};
    frequencies.early_positions = options.integer("start_token_idx");
    if (frequencies.early_positions > 0) frequencies.early = frequencies.inverse;
    for (std::size_t i = 0; i < factors.size(); ++i) frequencies.inverse[i] /= factors[i];
    std::string magnitude;
    frequencies.magnitude = longrope_magnitude(request, options, magnitude);
    const bool early_plain = options.text("start_magnitude") == "one";
    frequencies.early_magnitude = early_plain ? 1 : frequencies.magnitude;
    frequencies.conventions["magnitude"] = magnitude + ", on queries and keys, at every length";
    frequencies.conventions["factors"] =
        fmt::format("long_factor beyond {} tokens, short_factor up to there; here: {}", trained,
                    is_far ? "long_factor" : "short_factor");
    if (frequencies.early_positions > 0)
        frequencies.conventions["n-hat"] = fmt::format(
            "positions below {} turn by the plain frequencies, {} (start_magnitude: {}): logits are not free "
            "of shifts across it",
            frequencies.early_positions,
            early_plain ? "without the attention factor, as in the released code"
                        : "with the attention factor",
            options.text("start_magnitude"));
    return frequencies;
}

bool says_it_all(const Options& options) {
    return options.number("attention_factor") != 0 && options.number("factor") == 0 &&
           options.integer("target_length") == 0;
}

RuleChoices longrope_of(const FoundFactors& found) {
    if (found.within) return {{"short_factor", found.of_pairs}};
    return {{"factor", found.reach},
            {"start_token_idx", found.first_positions},
            {"attention_factor", found.magnitude},
            {"long_factor", found.of_pairs}};
}

const bool longrope_registered = FrequencyRegistry::instance().add(
    "longrope",
    {.doc = "theta / factor_i, a searched factor per pair, by the length (LongRoPE, arXiv:2402.13753)",
     .options = extension_options(
         {{.name = "long_factor",
           .standard = std::vector<double>{},
           .doc = "one per pair, above 0 and not falling: beyond the original length"},
          {.name = "short_factor",
           .standard = std::vector<double>{},
           .doc = "likewise, up to the original length; empty: all 1"},
          {.name = "start_token_idx",
           .standard = Index{0},
           .doc = "n-hat: positions below it keep the plain frequencies",
           .min = 0},
          {.name = "start_magnitude",
           .standard = std::string("one"),
           .doc = "of the positions below n-hat: one, as in the released code, or the attention factor",
           .choices = {"one", "attention_factor"}},
          {.name = "attention_factor",
           .standard = 0.0,
           .doc = "on cosine and sine, verbatim; 0: by `magnitude`",
           .min = 0},
          {.name = "magnitude",
           .standard = std::string("su"),
           .doc = "magnitude_scaling_policy: su, sqrt(1 + ln s / ln L), or yarn, 0.1 ln s + 1",
           .choices = {"su", "yarn"}}}),
     .varies_by_length = true,
     .length_class = [](Index length, Index trained) { return length > trained ? trained + 1 : trained; },
     .reaching =
         [](double factor, Index pairs) {
             return RuleChoices{{"factor", factor},
                                {"long_factor", PairFactors(static_cast<std::size_t>(pairs), factor)}};
         },
     .needs_no_factor = says_it_all,
     .of_found = longrope_of,
     .frequencies = longrope_frequencies});

}  // namespace

}  // namespace locus
