#pragma once

#include "framework/autodiff/variable.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// Added to the variance where nothing else is said.
inline constexpr double standard_norm_epsilon = 1e-5;

/// Layer norm over the last axis (arXiv:1607.06450); shift [width] may be left out. x [..., width], scale
/// [width].
Variable layer_norm(const Variable& x, const Variable& scale, const Variable& shift = {},
                    double epsilon = standard_norm_epsilon);

/// RMS norm over the last axis (arXiv:1910.07467).
Variable rms_norm(const Variable& x, const Variable& scale, double epsilon = standard_norm_epsilon);

}  // namespace LOCUS_SCALAR
}  // namespace locus
