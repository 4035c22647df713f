// Tiled attention of one head of one sequence: online softmax (arXiv:2205.14135), memory linear in the
// length.
#pragma once

#include <cstdint>

#include "framework/core/positions.h"
#include "framework/core/tensor.h"
#include "framework/ops/mask.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace kernels {

/// Vectors past its ends that a bias table must be padded with: tiles read whole vectors of queries.
inline constexpr Index bias_padding = 64;

/// A vector for each distance d = query position - key position: row rows[d - first_distance] of a table;
/// below 0: none.
struct RelativeTable {
    const Scalar* table = nullptr;  // [count, head_dim]; null: no such term
    Index count = 0;
    std::int64_t first_distance = 0;
    const std::int32_t* rows = nullptr;
};

/// One head: softmax(scale ((q + content_bias) k^T + (q + position_bias) r^T) + bias) (v + w) under a mask, r
/// and w the relative vectors of keys and values.
struct AttentionHead {
    Index queries, keys, head_dim;
    const Scalar* q;  // [queries, head_dim]
    const Scalar* k;  // [keys, head_dim]
    const Scalar* v;  // [keys, head_dim]
    Scalar scale;

    const MaskRanges* ranges;
    const std::int32_t* query_segments;  // [queries] and [keys]; read where ranges->by_segment
    const std::int32_t* key_segments;

    const Scalar* bias;  // bias[d - first_distance] for d = query position - key position; or null
    std::int64_t first_distance;
    const std::int64_t* query_positions;  // [queries] and [keys]; null where no term reads them
    const std::int64_t* key_positions;

    RelativeTable relative_keys, relative_values;
    const Scalar* content_bias;   // [head_dim]; null: none
    const Scalar* position_bias;  // likewise
};

/// out [queries, out_stride >= head_dim]; lse [queries] is the logarithm to base 2 of each row's sum of
/// exponentials, +inf for a row with nothing to attend to (its output is zero).
void attention_forward(const AttentionHead& head, Scalar* out, Index out_stride, Scalar* lse);

/// What the pullback of one head reads and writes.
struct AttentionPullback {
    const Scalar* out;   // [queries, stride]
    const Scalar* dout;  // [queries, stride]
    Index stride;
    const Scalar* lse;       // [queries]
    Scalar* dq;              // [queries, head_dim], set
    Scalar* dk;              // [keys, head_dim], added to
    Scalar* dv;              // [keys, head_dim], added to
    Scalar* dbias;           // like bias, added to; or null
    Scalar* drelative_keys;  // [count, head_dim], added to; or null
    Scalar* drelative_values;
    Scalar* dcontent_bias;  // [head_dim], added to; or null
    Scalar* dposition_bias;
};

void attention_pullback(const AttentionHead& head, const AttentionPullback& pullback);

}  // namespace kernels
}  // namespace LOCUS_SCALAR
}  // namespace locus
