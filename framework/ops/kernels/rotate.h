// Rotation of pairs of numbers.
#pragma once

#include "framework/core/scalar.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace kernels {

/// How rows of `width` numbers are rotated. Their first 2 * pairs numbers are pairs, (2i, 2i + 1) where
/// `interleaved`, else (i, i + pairs); the others are copied. With `inverse` the sine is negated.
struct RowRotation {
    Index pairs, width;
    bool interleaved, inverse;
};

/// Pair (a, b) of row r becomes (a cos - b sin, a sin + b cos) with the cosines and sines of row r of the
/// tables [rows, pairs]. `out` [rows, width] is set, or added to where `add`.
void rotate_rows(const RowRotation& rotation, const Scalar* x, const Scalar* cos, const Scalar* sin,
                 Scalar* out, bool add, Index rows);

}  // namespace kernels
}  // namespace LOCUS_SCALAR
}  // namespace locus
