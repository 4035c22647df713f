#include "models/attention.h"

#include <algorithm>

#include "framework/ops/elementwise.h"
#include "framework/ops/shape.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

Variable run_attention(AttentionForm form, const Variable& q, const Variable& k, const Variable& v,
                       const AttentionTerms& terms, const Mask& mask) {
    if (form == AttentionForm::composed) return attention_composed(q, k, v, terms, mask);
    return has_tiles(terms) ? attention_tiled(q, k, v, terms, mask) : attention_by_rows(q, k, v, terms, mask);
}

// The rows of a part: [B, H, T, D] to [sequences, H, rows, D].
Variable rows_of(const Variable& x, const PassPart& part) {
    const Index heads = x.size(1), length = x.size(2), width = x.size(3);
    if (part.sequences == x.size(0) && part.rows == length) return x;
    Tensor out = Tensor::empty({part.sequences, heads, part.rows, width});
    const Scalar* from = x.value().data() + (part.sequence * heads * length + part.first) * width;
    for (Index r = 0; r < part.sequences * heads; ++r)
        std::copy_n(from + r * length * width, part.rows * width, out.data() + r * part.rows * width);
    return out;
}

// The way back: [sequences, rows, width] into [B, T, width].
void put_rows(const Tensor& rows, const PassPart& part, const Tensor& out) {
    const Index width = out.size(2);
    for (Index b = 0; b < part.sequences; ++b) {
        std::copy_n(rows.data() + b * part.rows * width, part.rows * width,
                    out.data() + ((part.sequence + b) * out.size(1) + part.first) * width);
    }
}

}  // namespace

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
                                   const Mask& mask, AttentionForm form, Index asked) const {
    if (!global_qkv_) return output_(attend(qkv_, x, terms, positions, mask, form, asked));
    Mask rows = mask;  // rows that a mask leaves out are zero: the two parts add up
    rows.rows = Mask::Rows::local;
    Variable seen = attend(qkv_, x, terms, positions, rows, form, asked);
    if (mask.query_offset < mask.global) {
        rows.rows = Mask::Rows::global;
        seen = add(seen, attend(*global_qkv_, x, terms, positions, rows, form, asked));
    }
    return output_(seen);
}

// [B, asked, heads * head_dim]: what the queries of these projections see.
Variable SelfAttention::attend(const Linear& qkv, const Variable& x, const PositionTerms& terms,
                               const Positions& positions, const Mask& mask, AttentionForm form,
                               Index asked) const {
    const Variable packed = qkv(x);  // [B, T, (heads + 2 kv_heads) head_dim]
    Variable q = split_heads(packed, 0, heads_, head_dim_);
    Variable k = split_heads(packed, heads_ * head_dim_, kv_heads_, head_dim_);
    const Variable v = split_heads(packed, (heads_ + kv_heads_) * head_dim_, kv_heads_, head_dim_);
    if (terms.query) q = rotate(q, terms.query);
    if (terms.key) k = rotate(k, terms.key);
    const Index length = x.size(1), first = length - asked;
    if (first == 0) return run_attention(form, q, k, v, {terms, positions, positions}, mask);
    PassPart last;
    last.sequences = x.size(0);
    last.first = first;
    last.rows = asked;
    Mask of_last = mask;
    of_last.query_offset += first;
    return run_attention(form, rows_of(q, last), k, v, {terms, positions.slice(first, asked), positions},
                         of_last);
}

Variable SelfAttention::operator()(const Variable& x, std::span<const PassPart> parts, KvCache* cache,
                                   Index layer, AttentionForm form) const {
    require(!global_qkv_,
            "attention: a cache, and padded sequences with global tokens, know no global projections");
    const Variable packed = qkv_(x);
    const Variable queries = split_heads(packed, 0, heads_, head_dim_),
                   keys = split_heads(packed, heads_ * head_dim_, kv_heads_, head_dim_),
                   values = split_heads(packed, (heads_ + kv_heads_) * head_dim_, kv_heads_, head_dim_);
    const Tensor out = Tensor::zeros({x.size(0), x.size(1), heads_ * head_dim_});
    const bool raw = cache != nullptr && cache->raw_keys();
    for (const PassPart& part : parts) {
        Variable q = rows_of(queries, part), k = rows_of(keys, part), v = rows_of(values, part);
        if (part.terms.query) q = rotate(q, part.terms.query);
        if (part.terms.key && !raw) k = rotate(k, part.terms.key);
        if (cache != nullptr) {
            auto [all_keys, all_values] = cache->extend(layer, part.sequence, k.value(), v.value());
            k = all_keys;
            v = all_values;
        }
        if (part.terms.key && raw) k = rotate(k, part.terms.key);
        const AttentionTerms terms{part.terms, part.query, part.key};
        put_rows(run_attention(form, q, k, v, terms, part.mask).value(), part, out);
    }
    return output_(out);
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
