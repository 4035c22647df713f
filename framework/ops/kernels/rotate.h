// Rotation of pairs of numbers.
#pragma once

#include "framework/core/scalar.h"

namespace locus::inline LOCUS_SCALAR {
namespace kernels {

/// One row of `width` numbers, of which the first 2 * pairs are rotated: pair (a, b) becomes
/// (a cos - b sin, a sin + b cos); the others are copied. Pairs are (2i, 2i + 1) where `interleaved`, else
/// (i, i + pairs). With `inverse` the sine is negated. `out` is set, or added to where `add`.
void rotate_row(const Scalar* x, const Scalar* cos, const Scalar* sin, bool interleaved, bool inverse,
                Scalar* out, bool add, Index pairs, Index width);

}  // namespace kernels
}  // namespace locus::inline LOCUS_SCALAR
