// RoPE's own frequencies: base^(-2i / width) (arXiv:2104.09864).

#include "models/scaling.h"

namespace locus {

namespace {

Frequencies plain(const FrequencyRequest& request, const Options&) {
    return {.inverse = plain_frequencies(request)};
}

const bool plain_registered = FrequencyRegistry::instance().add(
    "plain", {.doc = "no scaling: base^(-2i/width) (RoFormer, arXiv:2104.09864)",
              .options = {},
              .reaching = [](double, Index) { return RuleChoices{}; },
              .frequencies = plain});

}  // namespace

}  // namespace locus
