// YaRN (arXiv:2309.00071). The standard is the authors' code, which Hugging Face follows: a ramp that is
// linear in the index of the pair, its ends rounded outwards. The paper's own ramp is linear in turns.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "models/scaling.h"

namespace locus {

namespace {

// The betas of the paper were fitted at 4096 tokens. For short ones: (L / 2 pi)^0.543, which is 32 at 4096
// and leaves as large a share of the pairs untouched.
double scaled_beta_fast(const FrequencyRequest& request) {
    return std::pow(static_cast<double>(request.trained_length) / (2 * std::numbers::pi), 0.543);
}

struct YarnBetas {
    double fast, slow;
};

YarnBetas betas_of(const FrequencyRequest& request, const Options& options) {
    YarnBetas betas{options.number("beta_fast"), options.number("beta_slow")};
    if (options.text("betas") == "length_scaled") {
        const double scaled = scaled_beta_fast(request);
        require(betas.fast == 32 || std::abs(betas.fast - scaled) <= 1e-9 * scaled,
                "scaling yarn: betas: length_scaled is a beta_fast of {} at {} tokens, but beta_fast is {}",
                scaled, request.trained_length, betas.fast);
        betas.fast = scaled;
    }
    require(betas.fast >= betas.slow && betas.slow > 0,
            "scaling yarn: expected beta_fast of at least beta_slow, both above 0, found {} and {}",
            betas.fast, betas.slow);
    return betas;
}

// How much of its own frequency each pair keeps, [pairs].
std::vector<double> yarn_kept(const FrequencyRequest& request, const Options& options) {
    const auto [fast, slow] = betas_of(request, options);
    const double extrapolation = options.number("extrapolation_factor");
    std::vector<double> kept;
    if (options.text("ramp") == "turns") {
        require(fast > slow, "scaling yarn: ramp: turns needs beta_fast above beta_slow, found {} and {}",
                fast, slow);
        for (double turns : trained_turns(request))
            kept.push_back(std::clamp((turns - slow) / (fast - slow), 0.0, 1.0) * extrapolation);
        return kept;
    }
    double low = pair_of_turns("yarn", request, fast), high = pair_of_turns("yarn", request, slow);
    if (options.flag("truncate")) {
        low = std::floor(low);
        high = std::ceil(high);
    }
    low = std::max(low, 0.0);
    high =
        std::min(high, static_cast<double>(request.width - 1));  // of dimensions, not of pairs: as published
    for (double ramp : index_ramp(request.width / 2, low, high)) kept.push_back((1 - ramp) * extrapolation);
    return kept;
}

double mscale_of(double factor, double weight) {
    return factor <= 1 ? 1 : 0.1 * weight * std::log(factor) + 1;
}

// On cosine and sine of queries and of keys, so that logits get its square.
double yarn_magnitude(double factor, const Options& options, std::string& said) {
    const double given = options.number("attention_factor");
    const double mscale = options.number("mscale"), all_dim = options.number("mscale_all_dim");
    const bool reversed = options.text("temperature") == "survey_reversed";
    require(!reversed || (given == 0 && mscale == 0),
            "scaling yarn: temperature: survey_reversed leaves no room for attention_factor {} and mscale {}",
            given, mscale);
    if (given != 0) {
        said =
            fmt::format("attention_factor {} as given{}", given, mscale != 0 ? ", mscale is not in use" : "");
        return given;
    }
    if (reversed) {
        said = "ABLATION survey_reversed: 1 / sqrt(1 + 0.1 ln s), which flattens where the paper sharpens";
        return factor <= 1 ? 1 : 1 / std::sqrt(1 + 0.1 * std::log(factor));
    }
    const double attn_factor = options.number("attn_factor");
    if (attn_factor != 1) said = fmt::format("attn_factor {} times ", attn_factor);
    if (mscale != 0 && all_dim != 0) {
        said += "mscale(s) / mscale_all_dim(s), each 0.1 m ln s + 1";
        return attn_factor * mscale_of(factor, mscale) / mscale_of(factor, all_dim);
    }
    said += mscale == 0 && all_dim == 0
                ? "0.1 ln s + 1"
                : fmt::format(
                      "0.1 ln s + 1; of mscale {} and mscale_all_dim {} one is 0, as transformers has it "
                      "neither is in use",
                      mscale, all_dim);
    return attn_factor * mscale_of(factor, 1);
}

Frequencies yarn_frequencies(const FrequencyRequest& request, const Options& options) {
    const double factor = factor_of("yarn", request.trained_length, options);
    const std::vector<double> kept = yarn_kept(request, options);
    const auto [fast, slow] = betas_of(request, options);
    Frequencies frequencies{.inverse = blended(request, factor, kept)};
    std::string magnitude;
    frequencies.magnitude = yarn_magnitude(factor, options, magnitude);
    frequencies.conventions["magnitude"] = magnitude + ", on queries and keys: logits get its square";
    frequencies.conventions["ramp"] = fmt::format(
        "{}, beta_fast {:.4g} ({}), beta_slow {:.4g}",
        options.text("ramp") == "turns" ? "linear in turns (the paper)"
        : options.flag("truncate")      ? "linear in the index, ends rounded outwards (the authors' code)"
                                        : "linear in the index, ends not rounded",
        fast, options.text("betas") == "length_scaled" ? "length_scaled: (L / 2 pi)^0.543" : "given", slow);
    return frequencies;
}

// 1 / factor = w + (1 - w) / s; the released code of LongRoPE begins with w + (1 - w) s as well.
std::vector<std::vector<double>> yarn_seeds(const FrequencyRequest& request, double factor) {
    const std::vector<double> yarn = factors_of(FrequencyRegistry::instance().at("yarn"), request, factor);
    std::vector<double> arithmetic;
    for (double own : yarn) {
        const double kept = factor > 1 ? (1 / own - 1 / factor) / (1 - 1 / factor) : 1;
        arithmetic.push_back(factor * (1 - kept) + kept);
    }
    return {yarn, arithmetic};
}

const bool yarn_registered = FrequencyRegistry::instance().add(
    "yarn",
    {.doc = "fast pairs kept, slow ones interpolated, logits sharpened (YaRN, arXiv:2309.00071)",
     .options = extension_options(
         {{.name = "beta_fast", .standard = 32.0, .doc = "turns from which a pair is kept", .min = 0},
          {.name = "beta_slow", .standard = 1.0, .doc = "turns up to which it is interpolated", .min = 0},
          {.name = "betas",
           .standard = std::string("given"),
           .doc = "given: beta_fast and beta_slow; length_scaled: beta_fast = (L / 2 pi)^0.543, for short L",
           .choices = {"given", "length_scaled"}},
          {.name = "ramp",
           .standard = std::string("index"),
           .doc =
               "what the ramp between them is linear in: the pair's index (the authors' code) or turns (the "
               "paper)",
           .choices = {"index", "turns"}},
          {.name = "truncate",
           .standard = true,
           .doc = "whether the ends of the ramp over indices are rounded outwards (false in gpt-oss)"},
          {.name = "extrapolation_factor",
           .standard = 1.0,
           .doc = "weight of the kept frequencies; 0: all are interpolated",
           .min = 0,
           .max = 1},
          {.name = "attention_factor",
           .standard = 0.0,
           .doc = "on cosine and sine, verbatim; 0: 0.1 ln factor + 1",
           .min = 0},
          {.name = "attn_factor", .standard = 1.0, .doc = "times the attention factor by formula", .min = 0},
          {.name = "mscale",
           .standard = 0.0,
           .doc =
               "with mscale_all_dim: their ratio is the attention factor (DeepSeek, whose softmax scale is "
               "not included); 0 in one of them: neither is in use",
           .min = 0},
          {.name = "mscale_all_dim", .standard = 0.0, .doc = "with mscale", .min = 0},
          {.name = "temperature",
           .standard = std::string("paper"),
           .doc = "survey_reversed: an ablation, the factor below 1 that surveys print",
           .choices = {"paper", "survey_reversed"}}}),
     .reaching = by_factor,
     .search_seeds = yarn_seeds,
     .frequencies = yarn_frequencies});

}  // namespace

}  // namespace locus
