// Cosines and sines of learned angles: a rotation whose frequencies are parameters.
#pragma once

#include "framework/autodiff/variable.h"
#include "framework/core/positions.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// [1 or B, heads, T, pairs] each, as rotate() takes them.
struct Waves {
    Variable cos, sin;
};

/// Cosine and sine of angle[b, h, t, i] = sum over axes a of position[b, t, a] * frequencies[a, h * pairs +
/// i], with frequencies [axes, heads * pairs] in radians per position. Angles are formed in double: at
/// position 256 a float would be off by 1e-5. A token without a position has angle 0 and no gradient. Throws
/// when the sizes do not fit.
Waves waves(const Variable& frequencies, const Positions& positions, Index heads);

}  // namespace LOCUS_SCALAR
}  // namespace locus
