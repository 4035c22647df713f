#include "models/attention.h"

#include "framework/ops/shape.h"

namespace locus::inline LOCUS_SCALAR {

SelfAttention::SelfAttention(const ParameterScope& scope, const ModelOptions& options, double deviation,
                             double output_deviation)
    : heads_(options.heads),
      kv_heads_(options.kv_heads),
      head_dim_(options.head_dim()),
      qkv_(scope.inside("qkv"), options.width, (heads_ + 2 * kv_heads_) * head_dim_, deviation, options.bias),
      output_(scope.inside("output"), options.width, options.width, output_deviation, options.bias) {}

Variable SelfAttention::operator()(const Variable& x, const PositionTerms& terms, const Positions& positions,
                                   const Mask& mask, AttentionForm form) const {
    const Variable packed = qkv_(x);  // [B, T, (heads + 2 kv_heads) head_dim]
    Variable q = split_heads(packed, 0, heads_, head_dim_);
    Variable k = split_heads(packed, heads_ * head_dim_, kv_heads_, head_dim_);
    const Variable v = split_heads(packed, (heads_ + kv_heads_) * head_dim_, kv_heads_, head_dim_);
    if (terms.query) q = rotate(q, terms.query);
    if (terms.key) k = rotate(k, terms.key);
    const AttentionTerms own{terms, positions, positions};
    if (form == AttentionForm::composed) return output_(attention_composed(q, k, v, own, mask));
    return output_(has_tiles(own) ? attention_tiled(q, k, v, own, mask) : attention_by_rows(q, k, v, own, mask));
}

}  // namespace locus::inline LOCUS_SCALAR
