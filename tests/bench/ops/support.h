// How an op is measured: alone, within an arena, forward only and with its pullback.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "framework/autodiff/variable.h"

namespace locus {
inline namespace LOCUS_SCALAR {

using Inputs = std::span<const Variable>;
using MeasuredOp = std::function<Variable(Inputs inputs)>;

/// Adds NAME/forward and NAME/training (forward and pullback, gradients of all inputs) to the benchmarks,
/// with inputs of these shapes drawn from [0.1, 1]. `operations` of one forward, where given, are shown as a
/// rate (twice as many in a pullback); else elements of the result are. Returns true.
bool measure_op(const std::string& name, std::vector<Shape> inputs, MeasuredOp op, double operations = 0);

/// Sizes of a shard of a small model: 2 sequences of 128 tokens, width 128, 4 heads.
namespace shard {
inline constexpr Index sequences = 2, length = 128, width = 128, heads = 4, head_dim = width / heads;
inline constexpr Index hidden = 4 * width, vocabulary = 256, tokens = sequences * length;
inline const Shape states{sequences, length, width}, inner{sequences, length, hidden},
    by_head{sequences, heads, length, head_dim}, scores{sequences, heads, length, length};
}  // namespace shard

}  // namespace LOCUS_SCALAR
}  // namespace locus
