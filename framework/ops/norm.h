#pragma once

#include "framework/autodiff/variable.h"

namespace locus {
inline namespace LOCUS_SCALAR {

inline constexpr Scalar norm_epsilon = static_cast<Scalar>(1e-5);

/// Layer norm over the last axis (arXiv:1607.06450); shift [width] may be left out. x [..., width], scale
/// [width].
Variable layer_norm(const Variable& x, const Variable& scale, const Variable& shift = {});

/// RMS norm over the last axis (arXiv:1910.07467).
Variable rms_norm(const Variable& x, const Variable& scale);

}  // namespace LOCUS_SCALAR
}  // namespace locus
