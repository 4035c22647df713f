// Sums, added up in double.
#pragma once

#include "framework/autodiff/variable.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// Sum over the last axis: [..., n] to [...]; a vector becomes [1].
Variable sum_last(const Variable& x);

/// Sum of all elements, [1].
Variable sum_all(const Variable& x);

}  // namespace LOCUS_SCALAR
}  // namespace locus
