#pragma once

#include "framework/autodiff/variable.h"

namespace locus {
inline namespace LOCUS_SCALAR {

enum class Pairing { interleaved, half_split };  // pairs (2i, 2i + 1), or (i, i + pairs)

/// Angles of a rotation as cosines and sines, with any magnitude folded in: [1 or B, 1 or H, T, pairs].
struct Rotation {
    Variable cos, sin;
    Pairing pairing = Pairing::half_split;
    explicit operator bool() const { return static_cast<bool>(cos); }
};

/// Rotates the first 2 * pairs of the last axis of x [B, H, T, D]: (a, b) to (a cos - b sin, a sin + b cos)
/// (arXiv:2104.09864); the rest passes. Gradients flow to the tables, too.
Variable rotate(const Variable& x, const Rotation& rotation);

}  // namespace LOCUS_SCALAR
}  // namespace locus
