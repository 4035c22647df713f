// bfloat16: the upper half of a single-precision number.
#pragma once

#include <cstdint>

#include "framework/core/scalar.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace kernels {

/// A copy [rows, columns], rounded to bfloat16, of a matrix whose rows lie `stride` apart, with the two of
/// each pair exchanged: of rows, or of neighbours in every row. A last one without a partner stays. Rounding
/// is to the nearest and to even; numbers below the normal ones become zero, and NaN stays NaN: what
/// VCVTNEPS2BF16 does.
void round_pairs_to_bf16(bool of_rows, const Scalar* from, Index rows, Index columns, Index stride,
                         Scalar* to);

/// Whether products may use the processor's dot products of bfloat16 pairs (VDPBF16PS of AVX512-BF16), in a
/// build of single precision.
bool has_bf16_dots();

/// Whether they are faster than products of rounded numbers in single precision: they do twice as many
/// multiply-adds a cycle on AMD's processors (Zen 4), but half as many on Intel's (Emerald Rapids).
bool bf16_dots_pay();

/// Pairs of bfloat16 numbers as the right factor of a product: [n / 32][(k + 1) / 2 pairs][32 columns], zero
/// beyond the ends. The size is in Scalars.
Index bf16_panels_size(Index n, Index k);
void pack_bf16_panels(bool transposed, Index n, Index k, const Scalar* b, Index stride, Scalar* panels);

/// C = op(A) B + beta C with B in panels; beta is 0 or 1. The second number of a pair is added first, each
/// rounded to single precision. REQUIRES: has_bf16_dots().
void bf16_product(bool a_transposed, Index m, Index n, Index k, const Scalar* a, Index a_stride,
                  const Scalar* panels, Scalar beta, Scalar* c, Index c_stride);

}  // namespace kernels
}  // namespace LOCUS_SCALAR
}  // namespace locus
