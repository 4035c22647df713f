// What an encoding may add to attention, as data. No hyper-parameter of an encoding ever gets here.
#pragma once

#include <cstdint>
#include <functional>

#include "framework/autodiff/variable.h"
#include "framework/core/positions.h"
#include "framework/core/work_vector.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// A bias that depends on the distance d = query position - key position: table[h][rows[d - first]], added
/// after scaling. A pair with a token that has no position gets none.
struct DistanceBias {
    Variable table;                 // [H, R]
    std::int64_t first = 0;         // the smallest distance that the map covers
    WorkVector<std::int32_t> rows;  // of the distances first, first + 1, ...
    explicit operator bool() const { return static_cast<bool>(table); }
};

/// A vector for each distance (arXiv:1803.02155), table[h][rows[d - first]]: added to the key, or to the
/// value, of a pair. A pair with a token that has no position gets none.
struct RelativeVectors {
    Variable table;  // [1 or H, R, D]
    std::int64_t first = 0;
    WorkVector<std::int32_t> rows;
    explicit operator bool() const { return static_cast<bool>(table); }
};

/// A bias that no table over distances holds: from positions [1 or B, Tq, 1] and [1 or B, Tk, 1] to
/// [1 or B, H, Tq, Tk], added after scaling. Made by ordinary ops from parameters and constants; called for a
/// few rows of queries at a time, in the pullback again.
using PairBias = std::function<Variable(const Positions& query, const Positions& key)>;

/// Contextual position (CoPE, arXiv:2405.18719): p_ij is the sum of sigmoid(q_i k_t) over the keys t = j .. i
/// that query i sees, at most rows - 1; the logit gets q_i times the table's row at p_ij, interpolated.
struct ContextCount {
    Variable table;           // [1 or H, rows, D]
    bool scaled_gate = true;  // the gate takes the scaled logit
    bool scaled_term = true;  // the term is scaled together with q k
    explicit operator bool() const { return static_cast<bool>(table); }
};

/// All that may be added to the logits q_i k_j:
/// scale ((q_i + content_bias) k_j + (q_i + position_bias) relative_keys_ij) + bias_ij + pair_bias_ij.
struct LogitTerms {
    Scalar logit_scale = 0;  // 0 means 1 / sqrt(head_dim)
    DistanceBias bias = {};
    RelativeVectors relative_keys = {}, relative_values = {};
    Variable content_bias = {}, position_bias = {};  // [H, D] (arXiv:1901.02860: u and v)
    PairBias pair_bias = {};
    ContextCount count = {};
};

/// Terms and where the tokens are; positions are read where a term needs them.
struct AttentionTerms : LogitTerms {
    Positions query = {}, key = {};
};

}  // namespace LOCUS_SCALAR
}  // namespace locus
