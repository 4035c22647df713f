// Texts as batches: positions, and prompts of different lengths side by side.
#pragma once

#include <vector>

#include "framework/core/batch.h"

namespace locus {

/// 0, 1, ... length - 1 (from `start`) on every one of `axes`, as text has them.
Positions text_positions(Index length, Index axes, std::int64_t start = 0);

/// Sequences that end together, each at positions 0, 1, ... from its first token on. What is missing before
/// them is padding: segment -1, without a position; the others have segment 0, or none where no padding is.
/// Throws where there is no sequence or all are empty.
Batch left_padded(const std::vector<std::vector<Token>>& sequences, Index axes = 1);

}  // namespace locus
