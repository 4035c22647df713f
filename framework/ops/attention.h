// Scaled dot-product attention with position terms, twice: composed of ordinary ops (the specification) and
// tiled.
#pragma once

#include <cstdint>

#include "framework/autodiff/variable.h"
#include "framework/core/positions.h"
#include "framework/ops/mask.h"

namespace locus::inline LOCUS_SCALAR {

/// A bias that depends on the distance d = query position - key position: table[h][rows[d - first]], added
/// after scaling. A pair with a token that has no position gets none.
struct DistanceBias {
    Variable table;                 // [H, R]
    std::int64_t first = 0;         // the least distance that the map covers
    WorkVector<std::int32_t> rows;  // of the distances first, first + 1, ...
    explicit operator bool() const { return static_cast<bool>(table); }
};

/// What attention adds to q k^T. No hyper-parameter of an encoding ever gets here.
struct AttentionTerms {
    Scalar logit_scale = 0;  // 0 means 1 / sqrt(head_dim)
    DistanceBias bias = {};
    Positions query = {}, key = {};  // read where there is a bias
};

/// softmax(logit_scale q k^T + bias, masked) v. q [B, H, Tq, D], k and v [B, Hkv, Tk, D] with H a multiple of
/// Hkv (query head h uses key/value head h / (H / Hkv)); result [B, Tq, H * D]. A query that sees no key
/// gives zeros and passes no gradient. Throws when shapes, mask, positions or bias do not fit.
Variable attention_composed(const Variable& q, const Variable& k, const Variable& v,
                            const AttentionTerms& terms, const Mask& mask);

/// The same by online softmax over tiles (arXiv:2205.14135): saves the log of each row's sum, memory linear
/// in T.
Variable attention_tiled(const Variable& q, const Variable& k, const Variable& v, const AttentionTerms& terms,
                         const Mask& mask);

}  // namespace locus::inline LOCUS_SCALAR
