#pragma once

#include "framework/autodiff/variable.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// Softmax over the last axis. A row of -inf only gives zeros and passes no gradient.
Variable softmax(const Variable& x);

}  // namespace LOCUS_SCALAR
}  // namespace locus
