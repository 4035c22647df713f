// Prompts of different lengths as one batch.
#pragma once

#include <vector>

#include "models/transformer.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// Sequences that end together; what is missing before them is padding.
struct PaddedBatch {
    std::vector<Token> tokens;           // [batch, length]
    std::vector<std::int32_t> segments;  // [batch, length]: 0, and -1 for padding; empty where there is none
    Positions positions;                 // 0, 1, ... from each first token on; padding has none
    Index batch = 0, length = 0;

    /// A pass over all of it. The batch must live on.
    ForwardInput input() const;
};

/// 0, 1, ... length - 1 (from `start`) on every one of `axes`, as text has them.
Positions text_positions(Index length, Index axes, std::int64_t start = 0);

/// Pads on the left to the longest sequence. Throws where there is no sequence or all are empty.
PaddedBatch left_padded(const std::vector<std::vector<Token>>& sequences, Index axes = 1);

}  // namespace LOCUS_SCALAR
}  // namespace locus
