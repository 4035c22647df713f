#include "framework/ops/attention.h"
#include "framework/ops/attention_checks.h"
#include "framework/ops/elementwise.h"
#include "framework/ops/matmul.h"
#include "framework/ops/shape.h"
#include "framework/ops/softmax.h"

namespace locus::inline LOCUS_SCALAR {

namespace {

// [1 or B, H, Tq, Tk]: the bias of every pair, as the columns of its table.
Variable pairwise_bias(const AttentionTerms& terms, const AttentionSizes& s) {
    const Index sheets = std::max(terms.query.batch(), terms.key.batch());
    WorkVector<std::int32_t> columns;
    columns.reserve(static_cast<std::size_t>(sheets * s.queries * s.keys));
    for (Index b = 0; b < sheets; ++b) {
        for (Index i = 0; i < s.queries; ++i) {
            for (Index j = 0; j < s.keys; ++j) {
                const std::int64_t query = terms.query(b, i), key = terms.key(b, j);
                const bool placed = query != Positions::none && key != Positions::none;
                columns.push_back(
                    placed ? terms.bias.rows[static_cast<std::size_t>(query - key - terms.bias.first)] : -1);
            }
        }
    }
    const Variable pairs = take_columns(terms.bias.table, std::move(columns));  // [H, sheets * Tq * Tk]
    if (sheets == 1) return reshape(pairs, {1, s.heads, s.queries, s.keys});
    // [H, sheets, Tq, Tk] to [sheets, H, Tq, Tk]: heads as rows of one "sequence"
    const Variable split =
        split_heads(reshape(pairs, {1, s.heads, sheets * s.queries * s.keys}), 0, sheets, s.queries * s.keys);
    return reshape(split, {sheets, s.heads, s.queries, s.keys});
}

}  // namespace

Variable attention_composed(const Variable& q, const Variable& k, const Variable& v,
                            const AttentionTerms& terms, const Mask& mask) {
    const AttentionSizes s = attention_sizes(q, k, v, terms, mask);
    const Index group = s.heads / s.kv_heads;
    Variable scores = scale(matmul(q, repeat_heads(k, group), Transpose::yes), s.scale);
    if (terms.bias) scores = add(scores, pairwise_bias(terms, s));
    const Variable weights = softmax(masked(scores, mask));
    return merge_heads(matmul(weights, repeat_heads(v, group)));
}

}  // namespace locus::inline LOCUS_SCALAR
