// Matrix products by OpenBLAS, one thread per call.
#pragma once

#include <string>

#include "framework/core/scalar.h"

namespace locus {

/// Tells OpenBLAS to use one thread per call and checks that it does. Locus parallelises over sequences,
/// above BLAS.
void use_one_blas_thread();

/// Version and kernel of the BLAS library, e.g. "OpenBLAS 0.3.21 SkylakeX".
std::string blas_description();

}  // namespace locus

namespace locus {
inline namespace LOCUS_SCALAR {

enum class Transpose { no, yes };

/// C = A B + beta C for row-major matrices: op(A) is [m, k], op(B) [k, n], C [m, n]. beta 0 does not read C.
void gemm(Transpose a_form, Transpose b_form, Index m, Index n, Index k, const Scalar* a, Index a_stride,
          const Scalar* b, Index b_stride, Scalar beta, Scalar* c, Index c_stride);

}  // namespace LOCUS_SCALAR
}  // namespace locus
