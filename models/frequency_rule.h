// How inverse frequencies of a rotation follow from the model and the length.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "framework/core/registry.h"

namespace locus {

/// Inverse frequencies in radians a position, [pairs], and one magnitude for cosine and sine.
struct Frequencies {
    std::vector<double> inverse;
    double magnitude = 1;
};

struct FrequencyRequest {
    Index width = 0;  // rotated dimensions of a head: twice the pairs
    double base = 10000;
    Index trained_length = 0;  // tokens
    Index length = 0;          // tokens, now
};

/// What the registry holds of a rule. One file each in models/frequencies/, which registers itself.
struct FrequencyRule {
    std::string doc;
    std::vector<Option> options;
    bool varies_by_length = false;
    std::function<Frequencies(const FrequencyRequest&, const Options&)> frequencies;
};

using FrequencyRegistry = Registry<FrequencyRule>;

}  // namespace locus
