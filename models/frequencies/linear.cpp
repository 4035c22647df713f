// Position interpolation (arXiv:2306.15595): every position is divided by the factor, which is the same as
// every frequency.

#include "models/scaling.h"

namespace locus {

namespace {

Frequencies linear_frequencies(const FrequencyRequest& request, const Options& options) {
    const double factor = factor_of("linear", request.trained_length, options);
    Frequencies frequencies{.inverse = plain_frequencies(request)};
    for (double& theta : frequencies.inverse) theta /= factor;
    return frequencies;
}

const bool linear_registered = FrequencyRegistry::instance().add(
    "linear", {.doc = "position interpolation: theta / factor (PI, arXiv:2306.15595)",
               .options = extension_options(),
               .reaching = by_factor,
               .search_seeds =
                   [](const FrequencyRequest& request, double factor) {
                       const FrequencyRule& rule = FrequencyRegistry::instance().at("linear");
                       return std::vector<std::vector<double>>{factors_of(rule, request, factor)};
                   },
               .frequencies = linear_frequencies});

}  // namespace

}  // namespace locus
