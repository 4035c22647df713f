// What both forms of attention check and resolve before they begin.
#pragma once

#include "framework/ops/attention.h"

namespace locus {
inline namespace LOCUS_SCALAR {

struct AttentionSizes {
    Index batch, heads, kv_heads, queries, keys, head_dim;
    Scalar scale;
};

/// Throws unless everything fits; the bias must cover every distance between positions.
AttentionSizes attention_sizes(const Variable& q, const Variable& k, const Variable& v,
                               const AttentionTerms& terms, const Mask& mask);

}  // namespace LOCUS_SCALAR
}  // namespace locus
