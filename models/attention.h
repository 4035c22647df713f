#pragma once

#include <span>

#include "framework/nn/layers.h"
#include "models/kv_cache.h"
#include "models/pass_part.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// Which implementation of attention to run: `tiled`, or by rows where the tiled kernel lacks a term; they
/// equal `composed`, which is there to prove it.
enum class AttentionForm { tiled, composed };

/// Multi-head self-attention with grouped key/value heads (arXiv:2305.13245). Where global tokens have
/// projections of their own (arXiv:2004.05150), those make the queries of global tokens and the keys and
/// values that these queries see; all other queries see keys and values of the common projections.
class SelfAttention {
  public:
    SelfAttention(const ParameterScope& scope, const ModelOptions& options, double deviation,
                  double output_deviation, bool global_projections = false);

    /// Makes the global projections equal to the others: to be called once the store has its values.
    void initialise() const;

    /// x [B, T, width] at `positions`, with the terms of the encoding. Only the last `asked` tokens of every
    /// sequence ask, [B, asked, width]; fewer than T without a tape only.
    Variable operator()(const Variable& x, const PositionTerms& terms, const Positions& positions,
                        const Mask& mask, AttentionForm form, Index asked) const;

    /// The same part by part, each behind the tokens that `cache` (null: none) holds of its sequences at
    /// `layer`. Rows of no part see nothing. Without a tape: nothing is recorded.
    Variable operator()(const Variable& x, std::span<const PassPart> parts, KvCache* cache, Index layer,
                        AttentionForm form) const;

  private:
    Variable attend(const Linear& qkv, const Variable& x, const PositionTerms& terms,
                    const Positions& positions, const Mask& mask, AttentionForm form, Index asked) const;

    Index heads_, kv_heads_, head_dim_;
    Linear qkv_, output_;
    std::unique_ptr<Linear> global_qkv_;  // only where asked for
};

}  // namespace LOCUS_SCALAR
}  // namespace locus
