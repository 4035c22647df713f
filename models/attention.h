#pragma once

#include "framework/nn/layers.h"
#include "models/encoding.h"

namespace locus::inline LOCUS_SCALAR {

/// Which implementation of attention to run: `tiled`, or by rows where the tiled kernel lacks a term; they equal
/// `composed`, which is there to prove it.
enum class AttentionForm { tiled, composed };

/// Multi-head self-attention with grouped key/value heads (arXiv:2305.13245).
class SelfAttention {
  public:
    SelfAttention(const ParameterScope& scope, const ModelOptions& options, double deviation,
                  double output_deviation);

    /// x [B, T, width] at `positions`, with the terms of the encoding.
    Variable operator()(const Variable& x, const PositionTerms& terms, const Positions& positions,
                        const Mask& mask, AttentionForm form) const;

  private:
    Index heads_, kv_heads_, head_dim_;
    Linear qkv_, output_;
};

}  // namespace locus::inline LOCUS_SCALAR
