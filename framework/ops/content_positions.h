// Ops of positions that are counted from content (CoPE, arXiv:2405.18719).
#pragma once

#include "framework/autodiff/variable.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// 1 / (1 + exp(-x)); -inf gives 0 and passes no gradient.
Variable sigmoid(const Variable& x);

/// Sums from each element to the end of the last axis: out[j] = x[j] + x[j + 1] + ... Added up in double and
/// rounded once, as are those of the pullback.
Variable suffix_sums(const Variable& x);

/// min(x, max); where x is cut no gradient flows.
Variable clamp_max(const Variable& x, Scalar max);

/// Rows of entries at fractional places: x [..., n], places [..., m] in 0 .. n - 1, out[j] between
/// x[floor(p_j)] and x[floor(p_j) + 1], linearly. Throws for a place outside.
Variable interpolate(const Variable& x, const Variable& places);

}  // namespace LOCUS_SCALAR
}  // namespace locus
