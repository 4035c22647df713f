#pragma once

#include "framework/autodiff/variable.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// ln(1 + x), exact near 0. Its derivative is 1 / (1 + x). REQUIRES: x > -1.
Variable log1p(const Variable& x);

}  // namespace LOCUS_SCALAR
}  // namespace locus
