// NTK-by-parts in the paper's form (arXiv:2309.00071, equations 17 to 20): pairs of many turns are kept,
// those of less than one turn are interpolated, and in between the weight is linear in turns. Nothing in it
// is an NTK base; the form that has one is ntk_by_parts_v1.

#include <algorithm>

#include "models/scaling.h"

namespace locus {

namespace {

Frequencies parts_frequencies(const FrequencyRequest& request, const Options& options) {
    const double factor = factor_of("ntk_by_parts", request.trained_length, options);
    const double fast = options.number("beta_fast"), slow = options.number("beta_slow");
    require(fast > slow && slow > 0,
            "scaling ntk_by_parts: expected beta_fast above beta_slow above 0, found {} and {}", fast, slow);
    std::vector<double> kept;
    for (double turns : trained_turns(request))
        kept.push_back(std::clamp((turns - slow) / (fast - slow), 0.0, 1.0));
    return {.inverse = blended(request, factor, kept)};
}

const bool parts_registered = FrequencyRegistry::instance().add(
    "ntk_by_parts",
    {.doc = "kept by turns over the trained length, the others interpolated (NTK-by-parts, arXiv:2309.00071)",
     .options = extension_options(
         {{.name = "beta_fast", .standard = 32.0, .doc = "turns from which a pair is kept", .min = 0},
          {.name = "beta_slow", .standard = 1.0, .doc = "turns up to which it is interpolated", .min = 0}}),
     .reaching = by_factor,
     .frequencies = parts_frequencies});

}  // namespace

}  // namespace locus
