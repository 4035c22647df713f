// The scaling of Llama 3.1: by wavelength, which is NTK-by-parts with 1 and 4 turns.

#include <numbers>

#include "models/scaling.h"

namespace locus {

namespace {

Frequencies llama3_frequencies(const FrequencyRequest& request, const Options& options) {
    const double factor = factor_of("llama3", request.trained_length, options);
    const double low = options.number("low_freq_factor"), high = options.number("high_freq_factor");
    require(high > low && low > 0,
            "scaling llama3: expected high_freq_factor above low_freq_factor above 0, found {} and {}", high,
            low);
    Frequencies frequencies{.inverse = plain_frequencies(request)};
    if (factor == 1) return frequencies;
    const auto trained = static_cast<double>(request.trained_length);
    for (double& theta : frequencies.inverse) {
        const double wavelength = 2 * std::numbers::pi / theta;
        if (wavelength < trained / high) continue;
        if (wavelength > trained / low) {
            theta /= factor;
            continue;
        }
        const double smooth = (trained / wavelength - low) / (high - low);
        theta = (1 - smooth) * theta / factor + smooth * theta;
    }
    return frequencies;
}

const bool llama3_registered = FrequencyRegistry::instance().add(
    "llama3", {.doc = "short wavelengths kept, long ones interpolated (Llama 3.1 in Hugging Face)",
               .options = extension_options({{.name = "low_freq_factor",
                                              .standard = 1.0,
                                              .doc = "wavelengths above L / this are interpolated",
                                              .min = 0},
                                             {.name = "high_freq_factor",
                                              .standard = 4.0,
                                              .doc = "wavelengths below L / this are kept",
                                              .min = 0}}),
               .reaching = by_factor,
               .frequencies = llama3_frequencies});

}  // namespace

}  // namespace locus
