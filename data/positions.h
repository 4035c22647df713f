// Positions of training and evaluation windows. Encodings know nothing of where they come from.
#pragma once

#include <cstdint>
#include <vector>

#include "data/options.h"
#include "framework/core/positions.h"
#include "framework/core/random.h"

namespace locus {

/// `count` distinct integers of 0 .. max - 1, each set equally likely, in ascending order. Throws a usage
/// Error for more than there are.
std::vector<std::int64_t> sorted_sample(Index count, Index max, RandomStream stream);

/// Positions of a window of `length` tokens cut into chunks (arXiv:2309.10400, equations 3 and 4): chunk i
/// counts on from where it lies in the window, moved by u_i, with u_0 = 0 and u_i uniform on u_(i-1) ..
/// max - length. The cuts are a uniform sample, so that no chunk is empty. The text itself stays whole
/// (the paper's v_i = 0). Throws a usage Error unless 1 <= chunks <= length <= max.
std::vector<std::int64_t> skipped_positions(Index length, Index max, Index chunks, RandomStream stream);

/// Positions of the batch of a step, [1 or sequences, length]: one draw for all of randomized, one per
/// sequence for pose; a function of (seed, step, slot) only. REQUIRES: not packed.
Positions training_positions(const PositionOptions& options, Index sequences, Index length,
                             std::uint64_t seed, Index step);

/// Positions of a window that is evaluated, `length` numbers. Randomized ones are drawn here, too, by the
/// document, the start and the length of the window and no seed, so that every run meets the same; all others
/// are 0, 1, 2, ... Throws a usage Error for a window longer than max_position.
std::vector<std::int64_t> evaluation_positions(const PositionOptions& options, Index document, Index start,
                                               Index length);

}  // namespace locus
