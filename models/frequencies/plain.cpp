// RoPE's own frequencies: base^(-2i / width) (arXiv:2104.09864).

#include <cmath>

#include "models/frequency_rule.h"

namespace locus {

namespace {

Frequencies plain(const FrequencyRequest& request, const Options&) {
    Frequencies frequencies;
    for (Index i = 0; i < request.width / 2; ++i) {
        const double exponent = -2 * static_cast<double>(i) / static_cast<double>(request.width);
        frequencies.inverse.push_back(std::pow(request.base, exponent));
    }
    return frequencies;
}

const bool plain_registered = FrequencyRegistry::instance().add(
    "plain", {.doc = "no scaling: base^(-2i/width) (RoFormer, arXiv:2104.09864)",
              .options = {},
              .frequencies = plain});

}  // namespace

}  // namespace locus
