// NTK-aware scaling (bloc97, June 2023; arXiv:2309.00071, section 3.1): a larger base, such that the fastest
// pair stays as it is and the slowest is interpolated in full.

#include <cmath>

#include "models/scaling.h"

namespace locus {

namespace {

Frequencies ntk_frequencies(const FrequencyRequest& request, const Options& options) {
    require(request.width > 2, "scaling ntk: expected more than one pair, found {} rotated dimensions",
            request.width);
    const auto width = static_cast<double>(request.width);
    FrequencyRequest larger = request;
    larger.base *= std::pow(factor_of("ntk", request.trained_length, options), width / (width - 2));
    return {.inverse = plain_frequencies(larger), .base = larger.base};
}

const bool ntk_registered = FrequencyRegistry::instance().add(
    "ntk", {.doc = "base x factor^(d/(d-2)) (NTK-aware, bloc97 2023; arXiv:2309.00071)",
            .options = extension_options(),
            .reaching = by_factor,
            .search_seeds =
                [](const FrequencyRequest& request, double factor) {
                    std::vector<std::vector<double>> seeds;
                    const FrequencyRule& rule = FrequencyRegistry::instance().at("ntk");
                    if (request.width > 2) seeds.push_back(factors_of(rule, request, factor));
                    return seeds;
                },
            .frequencies = ntk_frequencies});

}  // namespace

}  // namespace locus
