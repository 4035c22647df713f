// Layer norm (arXiv:1607.06450) and RMS norm (arXiv:1910.07467) over rows.
#pragma once

#include "framework/core/scalar.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace kernels {

/// y = (x - mean) * rstd * scale + shift for `rows` rows of `width`; statistics [rows, 2] keeps mean and
/// rstd. Without `centred` the mean is taken as 0 (RMS norm). `shift` may be null.
void norm(const Scalar* x, const Scalar* scale, const Scalar* shift, bool centred, Scalar epsilon, Scalar* y,
          Scalar* statistics, Index rows, Index width);

/// Gradients of norm(): dx is set, or added to where `add`; dscale and dshift (null where not wanted) are
/// added to.
void norm_pullback(const Scalar* x, const Scalar* scale, const Scalar* statistics, const Scalar* dy,
                   bool centred, Scalar* dx, bool add, Scalar* dscale, Scalar* dshift, Index rows,
                   Index width);

}  // namespace kernels
}  // namespace LOCUS_SCALAR
}  // namespace locus
