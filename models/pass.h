// How a batch is run through a model.
#pragma once

#include <cstdint>
#include <string>

#include "models/layer_pass.h"

namespace locus {
inline namespace LOCUS_SCALAR {

struct Pass {
    Index frequency_length = 0;  // fixed:N of the length mode; 0: the batch's length. A cache has its own
    bool growing = false;        // the other length mode: row i uses the frequencies of length i + 1
    KvCache* cache = nullptr;    // tokens before these; it takes these up
    AttentionForm attention = AttentionForm::tiled;
    bool training = false;  // dropout on, keyed by these and the number of a sequence in its step
    std::uint64_t seed = 0, step = 0;
    bool keep_each = false;  // Loss::each
};

/// One of the two length modes, of a pass and of a cache alike.
struct LengthMode {
    std::string name;
    Index length;  // fixed:N; 0: growing

    Pass pass(AttentionForm attention = AttentionForm::tiled) const {
        return {.frequency_length = length, .growing = length == 0, .attention = attention};
    }
    CacheOptions cache() const {
        CacheOptions options;
        options.growing = length == 0;
        options.length = length;
        return options;
    }
};

}  // namespace LOCUS_SCALAR
}  // namespace locus
