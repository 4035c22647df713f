#pragma once

#include <span>

#include "framework/nn/layers.h"
#include "models/kv_cache.h"
#include "models/pass_part.h"

namespace locus::inline LOCUS_SCALAR {

/// Which implementation of attention to run: they are equal; `composed` is there to prove it.
enum class AttentionForm { tiled, composed };

/// Multi-head self-attention with grouped key/value heads (arXiv:2305.13245).
class SelfAttention {
  public:
    SelfAttention(const ParameterScope& scope, const ModelOptions& options, double deviation,
                  double output_deviation);

    /// x [B, T, width] at `positions`, with the terms of the encoding.
    Variable operator()(const Variable& x, const PositionTerms& terms, const Positions& positions,
                        const Mask& mask, AttentionForm form) const;

    /// The same part by part, each behind the tokens that `cache` (null: none) holds of its sequences at
    /// `layer`. Rows of no part see nothing. Without a tape: nothing is recorded.
    Variable operator()(const Variable& x, std::span<const PassPart> parts, KvCache* cache, Index layer,
                        AttentionForm form) const;

  private:
    Index heads_, kv_heads_, head_dim_;
    Linear qkv_, output_;
};

}  // namespace locus::inline LOCUS_SCALAR
