// Ops that work element by element.
#pragma once

#include <cstdint>

#include "framework/autodiff/variable.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// a + b and a * b with NumPy's broadcasting. Throws when the shapes do not fit.
Variable add(const Variable& a, const Variable& b);
Variable multiply(const Variable& a, const Variable& b);

Variable scale(const Variable& x, Scalar factor);
Variable exponential(const Variable& x);
Variable logarithm(const Variable& x);   // natural
Variable reciprocal(const Variable& x);  // 1 / x
Variable relu(const Variable& x);        // max(x, 0); no gradient at 0

/// GELU in its tanh form (arXiv:1606.08415).
Variable gelu(const Variable& x);

/// SwiGLU (arXiv:2002.05202): silu(gate) * up, of equal shapes.
Variable swiglu(const Variable& gate, const Variable& up);

/// Where an element is kept or dropped depends on these numbers and its place only.
struct DropoutKey {
    std::uint64_t seed = 0, step = 0, sample = 0, layer = 0;
};

/// Each element is zero with probability `rate`, else divided by 1 - rate. x is [B, ...]: row b is keyed by
/// sample key.sample + b. Throws unless 0 <= rate < 1.
Variable dropout(const Variable& x, double rate, const DropoutKey& key);

}  // namespace LOCUS_SCALAR
}  // namespace locus
