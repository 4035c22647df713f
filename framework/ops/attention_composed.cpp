#include "framework/ops/attention.h"
#include "framework/ops/attention_checks.h"
#include "framework/ops/content_positions.h"
#include "framework/ops/elementwise.h"
#include "framework/ops/matmul.h"
#include "framework/ops/pairs.h"
#include "framework/ops/shape.h"
#include "framework/ops/softmax.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

// [1 or B, H, Tq, Tk]: the bias of every pair, as the columns of its table.
Variable pairwise_bias(const AttentionTerms& terms, const AttentionSizes& s) {
    PairRows pairs = pair_rows(terms.query, terms.key, terms.bias.first, terms.bias.rows);
    const Index sheets = pairs.sheets;
    const Variable columns = take_columns(terms.bias.table, std::move(pairs.rows));  // [H, sheets * Tq * Tk]
    if (sheets == 1) return reshape(columns, {1, s.heads, s.queries, s.keys});
    // [H, sheets, Tq, Tk] to [sheets, H, Tq, Tk]: heads as rows of one "sequence"
    const Variable split = split_heads(reshape(columns, {1, s.heads, sheets * s.queries * s.keys}), 0, sheets,
                                       s.queries * s.keys);
    return reshape(split, {sheets, s.heads, s.queries, s.keys});
}

// A table [1 or H, R, D] as [B, H, R, D].
Variable for_every_head(const Variable& table, const AttentionSizes& s) {
    const Variable ones(Tensor::full({s.batch, table.size(0) == 1 ? s.heads : 1, 1, 1}, 1));
    return multiply(reshape(table, {1, table.size(0), table.size(1), table.size(2)}), ones);
}

// q + bias with bias [H, D], where there is one.
Variable with_bias(const Variable& q, const Variable& bias) {
    return bias ? add(q, reshape(bias, {1, bias.size(0), 1, bias.size(1)})) : q;
}

// q_i k_j and what is added to it before scaling.
Variable products(const Variable& q, const Variable& k, const AttentionTerms& terms,
                  const AttentionSizes& s) {
    const Variable scores = matmul(with_bias(q, terms.content_bias), k, Transpose::yes);
    if (!terms.relative_keys) return scores;
    const RelativeVectors& keys = terms.relative_keys;
    const Variable met =
        matmul(with_bias(q, terms.position_bias), for_every_head(keys.table, s), Transpose::yes);
    return add(scores, take_pairs(met, pair_rows(terms.query, terms.key, keys.first, keys.rows)));
}

// The term of a position that is counted from the logits themselves.
Variable counted(const Variable& q, const Variable& scores, const ContextCount& count,
                 const AttentionSizes& s, const Mask& mask) {
    const Variable gates = sigmoid(masked(count.scaled_gate ? scale(scores, s.scale) : scores, mask));
    const Variable places = clamp_max(suffix_sums(gates), static_cast<Scalar>(count.table.size(1) - 1));
    return interpolate(matmul(q, for_every_head(count.table, s), Transpose::yes), places);
}

}  // namespace

Variable attention_logits(const Variable& q, const Variable& k, const AttentionTerms& terms,
                          const Mask& mask) {
    const AttentionSizes s = attention_sizes(q, k, k, terms, mask);
    Variable scores = products(q, repeat_heads(k, s.heads / s.kv_heads), terms, s);
    if (terms.count && terms.count.scaled_term) {
        scores = add(scores, counted(q, scores, terms.count, s, mask));
    }
    Variable logits = scale(scores, s.scale);
    if (terms.count && !terms.count.scaled_term) {
        logits = add(logits, counted(q, scores, terms.count, s, mask));
    }
    if (terms.bias) logits = add(logits, pairwise_bias(terms, s));
    if (terms.pair_bias) logits = add(logits, terms.pair_bias(terms.query, terms.key));
    return masked(logits, mask);
}

Variable attention_composed(const Variable& q, const Variable& k, const Variable& v,
                            const AttentionTerms& terms, const Mask& mask) {
    const AttentionSizes s = attention_sizes(q, k, v, terms, mask);
    const Variable weights = softmax(attention_logits(q, k, terms, mask));
    Variable out = matmul(weights, repeat_heads(v, s.heads / s.kv_heads));
    if (terms.relative_values) {
        const RelativeVectors& values = terms.relative_values;
        const PairRows pairs = pair_rows(terms.query, terms.key, values.first, values.rows);
        out = add(out,
                  matmul(sum_pairs(weights, pairs, values.table.size(1)), for_every_head(values.table, s)));
    }
    return merge_heads(out);
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
