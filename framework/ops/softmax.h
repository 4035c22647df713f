#pragma once

#include "framework/autodiff/variable.h"

namespace locus::inline LOCUS_SCALAR {

/// Softmax over the last axis. A row of -inf only gives zeros and passes no gradient.
Variable softmax(const Variable& x);

}  // namespace locus::inline LOCUS_SCALAR
