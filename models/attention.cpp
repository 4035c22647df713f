#include "models/attention.h"

#include "framework/ops/elementwise.h"
#include "framework/ops/shape.h"

namespace locus::inline LOCUS_SCALAR {

SelfAttention::SelfAttention(const ParameterScope& scope, const ModelOptions& options, double deviation,
                             double output_deviation, bool global_projections)
    : heads_(options.heads),
      kv_heads_(options.kv_heads),
      head_dim_(options.head_dim()),
      qkv_(scope.inside("qkv"), options.width, (heads_ + 2 * kv_heads_) * head_dim_, deviation, options.bias),
      output_(scope.inside("output"), options.width, options.width, output_deviation, options.bias) {
    if (!global_projections) return;
    global_qkv_ = std::make_unique<Linear>(scope.inside("global_qkv"), options.width,
                                           (heads_ + 2 * kv_heads_) * head_dim_, deviation, options.bias);
}

void SelfAttention::initialise() const {
    if (global_qkv_) global_qkv_->copy_from(qkv_);
}

Variable SelfAttention::operator()(const Variable& x, const PositionTerms& terms, const Positions& positions,
                                   const Mask& mask, AttentionForm form) const {
    if (!global_qkv_) return output_(attend(qkv_, x, terms, positions, mask, form));
    Mask rows = mask;  // rows that a mask leaves out are zero: the two parts add up
    rows.rows = Mask::Rows::local;
    Variable seen = attend(qkv_, x, terms, positions, rows, form);
    if (mask.query_offset < mask.global) {
        rows.rows = Mask::Rows::global;
        seen = add(seen, attend(*global_qkv_, x, terms, positions, rows, form));
    }
    return output_(seen);
}

// [B, T, heads * head_dim]: what the queries of these projections see.
Variable SelfAttention::attend(const Linear& qkv, const Variable& x, const PositionTerms& terms,
                               const Positions& positions, const Mask& mask, AttentionForm form) const {
    const Variable packed = qkv(x);  // [B, T, (heads + 2 kv_heads) head_dim]
    Variable q = split_heads(packed, 0, heads_, head_dim_);
    Variable k = split_heads(packed, heads_ * head_dim_, kv_heads_, head_dim_);
    const Variable v = split_heads(packed, (heads_ + kv_heads_) * head_dim_, kv_heads_, head_dim_);
    if (terms.query) q = rotate(q, terms.query);
    if (terms.key) k = rotate(k, terms.key);
    const AttentionTerms own{terms, positions, positions};
    if (form == AttentionForm::composed) return attention_composed(q, k, v, own, mask);
    return has_tiles(own) ? attention_tiled(q, k, v, own, mask) : attention_by_rows(q, k, v, own, mask);
}

}  // namespace locus::inline LOCUS_SCALAR
