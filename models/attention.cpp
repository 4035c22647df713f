#include "models/attention.h"

#include <algorithm>

#include "framework/ops/shape.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

Variable run_attention(AttentionForm form, const Variable& q, const Variable& k, const Variable& v,
                       const AttentionTerms& terms, const Mask& mask) {
    if (form == AttentionForm::composed) return attention_composed(q, k, v, terms, mask);
    return has_tiles(terms) ? attention_tiled(q, k, v, terms, mask) : attention_by_rows(q, k, v, terms, mask);
}

// A run of some sequences: [B, H, T, D] to [sequences, H, run, D]. A copy is not recorded.
Variable rows_of(const Variable& x, const AttentionCall& part, TokenRun run) {
    const Index heads = x.size(1), length = x.size(2), width = x.size(3);
    if (part.sequences == x.size(0) && run.first == 0 && run.count == length) return x;
    MutableTensor out = Tensor::empty({part.sequences, heads, run.count, width});
    const Scalar* from = x.value().data() + (part.sequence * heads * length + run.first) * width;
    for (Index r = 0; r < part.sequences * heads; ++r)
        std::copy_n(from + r * length * width, run.count * width, out.data() + r * run.count * width);
    return out;
}

// The way back: [sequences, rows, width] into [B, T, width].
void put_rows(const Tensor& rows, const AttentionCall& part, const MutableTensor& out) {
    const Index width = out.size(2);
    for (Index b = 0; b < part.sequences; ++b) {
        std::copy_n(rows.data() + b * part.asking.count * width, part.asking.count * width,
                    out.data() + ((part.sequence + b) * out.size(1) + part.asking.first) * width);
    }
}

// What the last `asked` queries of a part see: [sequences, asked, heads * head_dim].
Variable seen_by(const Projections::Heads& heads, const AttentionCall& part, const LayerPass& pass,
                 Mask::Rows rows, Index asked) {
    Variable q = rows_of(heads.queries, part, part.asking), k = rows_of(heads.keys, part, part.seen),
             v = rows_of(heads.values, part, part.seen);
    const bool raw = pass.cache != nullptr && pass.cache->raw_keys();
    if (part.terms.query) q = rotate(q, part.terms.query);
    if (part.terms.key && !raw) k = rotate(k, part.terms.key);
    if (pass.cache != nullptr) {
        auto [all_keys, all_values] = pass.cache->extend(pass.layer, part.sequence, k.value(), v.value());
        k = all_keys;
        v = all_values;
    }
    if (part.terms.key && raw) k = rotate(k, part.terms.key);
    Mask mask = part.mask;
    mask.rows = rows;
    const Index silent = part.asking.count - asked;
    if (silent == 0) return run_attention(pass.attention, q, k, v, {part.terms, part.query, part.key}, mask);
    mask.query_offset += silent;
    const AttentionCall all_of{.sequences = q.size(0)};
    return run_attention(pass.attention, rows_of(q, all_of, {silent, asked}), k, v,
                         {part.terms, part.query.slice(silent, asked), part.key}, mask);
}

}  // namespace

Projections::Projections(const ParameterScope& scope, const std::string& name, const ModelOptions& options,
                         Site site)
    : heads_(options.heads),
      kv_heads_(options.kv_heads),
      head_dim_(options.head_dim()),
      first_(scope.inside(name + (site == Site::cross ? "q" : "qkv")), options.width,
             (heads_ + (site == Site::cross ? 0 : 2 * kv_heads_)) * head_dim_, options.deviation(),
             options.bias) {
    if (site != Site::cross) return;
    key_value_ = std::make_unique<Linear>(scope.inside(name + "kv"), options.width, 2 * kv_heads_ * head_dim_,
                                          options.deviation(), options.bias);
}

Projections::Heads Projections::operator()(const Variable& x, const Variable& source) const {
    const Variable first = first_(x);  // [B, T, (heads + 2 kv_heads) head_dim], or the heads alone
    const Variable rest = key_value_ ? (*key_value_)(source) : first;
    const Index begin = key_value_ ? 0 : heads_ * head_dim_;
    return {split_heads(first, 0, heads_, head_dim_), split_heads(rest, begin, kv_heads_, head_dim_),
            split_heads(rest, begin + kv_heads_ * head_dim_, kv_heads_, head_dim_)};
}

void Projections::copy_from(const Projections& other) const {
    first_.copy_from(other.first_);
    if (key_value_) key_value_->copy_from(*other.key_value_);
}

Attention::Attention(const ParameterScope& scope, const ModelOptions& options, Site site,
                     bool global_projections)
    : site_(site),
      width_(options.width),
      projections_(scope, "", options, site),
      output_(scope.inside("output"), options.width, options.width, options.residual_deviation(),
              options.bias) {
    if (global_projections) global_ = std::make_unique<Projections>(scope, "global_", options, site);
}

void Attention::initialise() const {
    if (global_) global_->copy_from(projections_);
}

Variable Attention::operator()(const Variable& x, const Variable& source, const LayerPass& pass) const {
    require(site_ == Site::cross || x.value().data() == source.value().data(),
            "attention: queries and keys of two sources at a site of one");
    if (!global_) return output_(attend(projections_, x, source, pass, Mask::Rows::all));
    require(pass.cache == nullptr,
            "attention: a cache knows no global projections (mask.global_projections)");
    // rows that a mask leaves out are zero: the two parts add up
    Variable seen = attend(projections_, x, source, pass, Mask::Rows::local);
    const bool is_asked = std::any_of(pass.parts.begin(), pass.parts.end(), [](const AttentionCall& part) {
        return part.mask.query_offset < part.mask.global;
    });
    if (is_asked) seen = add(seen, attend(*global_, x, source, pass, Mask::Rows::global));
    return output_(seen);
}

// [B, T or the tail's length, heads * head_dim]: what the queries of these projections see.
Variable Attention::attend(const Projections& projections, const Variable& x, const Variable& source,
                           const LayerPass& pass, Mask::Rows rows) const {
    const Projections::Heads heads = projections(x, source);
    if (pass.parts.size() == 1 && pass.parts.front().is_whole(x.size(0), x.size(1))) {
        const AttentionCall& part = pass.parts.front();
        return seen_by(heads, part, pass, rows, pass.tail ? pass.tail->length : part.asking.count);
    }
    require(Tape::current() == nullptr && pass.tail == nullptr,
            "attention: parts of a pass are run without a tape, and each of them whole");
    const MutableTensor out = Tensor::zeros({x.size(0), x.size(1), width_});
    for (const AttentionCall& part : pass.parts)
        put_rows(seen_by(heads, part, pass, rows, part.asking.count).value(), part, out);
    return out;
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
