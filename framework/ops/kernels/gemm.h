// The matrix product of the ops: a packed SIMD kernel of Locus's own, or OpenBLAS.
#pragma once

#include "framework/core/blas.h"
#include "framework/core/products.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace kernels {

/// C = op(A) op(B) + beta C for row-major matrices, beta 0 or 1: op(A) is [m, k], op(B) [k, n], C [m, n]. In
/// bf16 both factors are rounded, and the second of every two k is added first; that is the order of the
/// processor's dot products, which are used where they are the faster way. Both ways give the same bits,
/// except where a sum is below the normal numbers.
void gemm(Transpose a_form, Transpose b_form, Index m, Index n, Index k, const Scalar* a, Index a_stride,
          const Scalar* b, Index b_stride, Scalar beta, Scalar* c, Index c_stride,
          const Products& products = {});

}  // namespace kernels
}  // namespace LOCUS_SCALAR
}  // namespace locus
