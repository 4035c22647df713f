// Matrix products.
#pragma once

#include "framework/autodiff/variable.h"
#include "framework/core/blas.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// a [..., m, k] times b [..., k, n] with equal leading axes, or b^T with b [..., n, k] where `b_form` is
/// yes.
Variable matmul(const Variable& a, const Variable& b, Transpose b_form = Transpose::no);

/// x [..., in] times weight^T, weight [out, in], plus bias [out] where it is given. Result [..., out]. The
/// factors of all its products, those of the pullback too, are taken in the precision of the scope that it is
/// called in.
Variable linear(const Variable& x, const Variable& weight, const Variable& bias = {});

}  // namespace LOCUS_SCALAR
}  // namespace locus
