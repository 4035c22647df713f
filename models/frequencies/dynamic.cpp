// Dynamic NTK (emozilla 2023; arXiv:2309.00071, section 3.3): the base follows the length, and up to the
// trained length nothing changes.

#include <algorithm>
#include <cmath>

#include "models/scaling.h"

namespace locus {

namespace {

Frequencies dynamic_frequencies(const FrequencyRequest& request, const Options& options) {
    const double factor = options.number("factor");
    const Index trained = request.trained_length;
    require(factor >= 1, "scaling dynamic: factor: expected 1 or more, found {}", factor);
    require(request.width > 2, "scaling dynamic: expected more than one pair, found {} rotated dimensions",
            request.width);
    require(trained >= 1, "scaling dynamic: original_length: expected 1 or more tokens, found {}", trained);
    const auto width = static_cast<double>(request.width);
    FrequencyRequest larger = request;
    if (request.length > trained) {
        const double ratio = static_cast<double>(request.length) / static_cast<double>(trained);
        larger.base *= std::pow(factor * ratio - (factor - 1), width / (width - 2));
    }
    Frequencies frequencies{.inverse = plain_frequencies(larger), .base = larger.base};
    frequencies.conventions["base"] =
        fmt::format("base x (factor n / L - (factor - 1))^(d/(d-2)) for n > L = {}, factor {}; here n = {}",
                    trained, factor, request.length);
    return frequencies;
}

const bool dynamic_registered = FrequencyRegistry::instance().add(
    "dynamic",
    {.doc = "the base of ntk, by the length: s = factor n/L - (factor - 1) (Dynamic NTK, emozilla 2023; "
            "arXiv:2309.00071)",
     .options = {{.name = "factor",
                  .standard = 1.0,
                  .doc = "1: the paper's s = max(1, n/L); larger ones as in Hugging Face",
                  .min = 0},
                 {.name = "original_length",
                  .standard = Index{0},
                  .doc =
                      "original_max_position_embeddings: tokens that the model was trained on; 0: the root "
                      "run's train.length",
                  .min = 0}},
     .varies_by_length = true,
     .length_class = [](Index length, Index trained) { return std::max(length, trained); },
     .reaching = by_factor,
     .plain_within_only = true,
     .frequencies = dynamic_frequencies});

}  // namespace

}  // namespace locus
