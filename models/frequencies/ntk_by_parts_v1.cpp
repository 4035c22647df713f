// The first public form of NTK-by-parts (bloc97, pull request 1 of jquesnelle/yarn): the slow pairs are
// interpolated, the middle has a real NTK base, the fast ones are kept; ramps over whole indices.

#include <algorithm>
#include <cmath>

#include "models/scaling.h"

namespace locus {

namespace {

constexpr const char* first_parts = "ntk_by_parts_v1";

// 1 for pairs that turn more than `fast` times, 0 for less than `slow`.
std::vector<double> turning(const FrequencyRequest& request, double fast, double slow) {
    const double low = std::max(std::floor(pair_of_turns(first_parts, request, fast)), 0.0);
    const double high = std::min(std::ceil(pair_of_turns(first_parts, request, slow)),
                                 static_cast<double>(request.width - 1));
    std::vector<double> weights = index_ramp(request.width / 2, low, high);
    for (double& weight : weights) weight = 1 - weight;
    return weights;
}

Frequencies first_parts_frequencies(const FrequencyRequest& request, const Options& options) {
    const double factor = factor_of(first_parts, request.trained_length, options);
    require(request.width > 2, "scaling {}: expected more than one pair, found {} rotated dimensions",
            first_parts, request.width);
    Frequencies frequencies{.inverse = plain_frequencies(request)};
    if (factor == 1) return frequencies;
    const auto width = static_cast<double>(request.width);
    FrequencyRequest larger = request;
    larger.base *= std::pow(factor, width / (width - 2));
    const std::vector<double> ntk = plain_frequencies(larger);
    const std::vector<double> middle = turning(request, 1.25, 0.75), fast = turning(request, 16, 2);
    const double ntk_factor = options.number("ntk_factor");
    const double extrapolation_factor = options.number("extrapolation_factor");
    for (std::size_t i = 0; i < frequencies.inverse.size(); ++i) {
        const double theta = frequencies.inverse[i];
        const double to_ntk = middle[i] * ntk_factor, to_plain = fast[i] * extrapolation_factor;
        const double slow = theta / factor * (1 - to_ntk) + ntk[i] * to_ntk;
        frequencies.inverse[i] = slow * (1 - to_plain) + theta * to_plain;
    }
    return frequencies;
}

const bool first_parts_registered = FrequencyRegistry::instance().add(
    first_parts,
    {.doc = "interpolated, NTK and kept pairs by two ramps (bloc97, pull request 1 of jquesnelle/yarn)",
     .options = extension_options({{.name = "ntk_factor",
                                    .standard = 1.0,
                                    .doc = "weight of the NTK frequencies where they stand",
                                    .min = 0,
                                    .max = 1},
                                   {.name = "extrapolation_factor",
                                    .standard = 1.0,
                                    .doc = "weight of the plain frequencies where they stand",
                                    .min = 0,
                                    .max = 1}}),
     .reaching = by_factor,
     .frequencies = first_parts_frequencies});

}  // namespace

}  // namespace locus
