#include "framework/ops/attention_checks.h"

#include <cmath>

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

void check_positions(const AttentionTerms& terms, const AttentionSizes& s) {
    const auto fits = [&](const Positions& p, Index length) {
        return p.length() == length && (p.batch() == 1 || p.batch() == s.batch);
    };
    require(fits(terms.query, s.queries) && fits(terms.key, s.keys),
            "attention: positions [{}, {}, {}] and [{}, {}, {}] do not fit {} queries and {} keys",
            terms.query.batch(), terms.query.length(), terms.query.axes(), terms.key.batch(),
            terms.key.length(), terms.key.axes(), s.queries, s.keys);
}

// A map over distances must cover those between the positions that are there.
void check_map(const AttentionTerms& terms, std::int64_t first, std::size_t count) {
    require(terms.query.axes() == 1 && terms.key.axes() == 1,
            "attention: a term over distances expects one axis of positions, found {} and {}",
            terms.query.axes(), terms.key.axes());
    const std::int64_t min = terms.query.min() - terms.key.max();
    const std::int64_t max = terms.query.max() - terms.key.min();
    const auto end = first + static_cast<std::int64_t>(count);
    require(first <= min && max < end, "attention: a term covers distances {} to {}, needed are {} to {}",
            first, end - 1, min, max);
}

void check_vectors(const Variable& table, const AttentionSizes& s) {
    require(table.shape().rank() == 3 && (table.size(0) == 1 || table.size(0) == s.heads) &&
                table.size(1) > 0 && table.size(2) == s.head_dim,
            "attention: expected a table of vectors [1 or {}, R, {}], found {}", s.heads, s.head_dim,
            table.shape());
}

void check_relative(const RelativeVectors& vectors, const AttentionTerms& terms, const AttentionSizes& s) {
    if (!vectors) return;
    check_vectors(vectors.table, s);
    check_map(terms, vectors.first, vectors.rows.size());
}

void check_query_bias(const Variable& bias, const AttentionSizes& s) {
    require(!bias || bias.shape() == (Shape{s.heads, s.head_dim}),
            "attention: expected a bias of queries [{}, {}], found {}", s.heads, s.head_dim, bias.shape());
}

void check_terms(const AttentionTerms& terms, const AttentionSizes& s, const Mask& mask) {
    if (terms.bias || terms.relative_keys || terms.relative_values || terms.pair_bias)
        check_positions(terms, s);
    if (terms.bias) {
        require(terms.bias.table.shape().rank() == 2 && terms.bias.table.size(0) == s.heads,
                "attention: expected a bias table [{}, R], found {}", s.heads, terms.bias.table.shape());
        check_map(terms, terms.bias.first, terms.bias.rows.size());
    }
    check_relative(terms.relative_keys, terms, s);
    check_relative(terms.relative_values, terms, s);
    check_query_bias(terms.content_bias, s);
    check_query_bias(terms.position_bias, s);
    if (!terms.count) return;
    check_vectors(terms.count.table, s);
    require(mask.causal, "attention: a position counted from content needs a causal mask");
}

}  // namespace

AttentionSizes attention_sizes(const Variable& q, const Variable& k, const Variable& v,
                               const AttentionTerms& terms, const Mask& mask) {
    require(
        q.shape().rank() == 4 && k.shape().rank() == 4 && k.shape() == v.shape() && q.size(0) == k.size(0) &&
            q.size(3) == k.size(3) && k.size(1) > 0 && q.size(1) % k.size(1) == 0,
        "attention: q is {}, k {}, v {}; expected [B, H, Tq, D] and twice [B, Hkv, Tk, D], Hkv dividing H",
        q.shape(), k.shape(), v.shape());
    AttentionSizes s{q.size(0), q.size(1), k.size(1), q.size(2), k.size(2), q.size(3), terms.logit_scale};
    if (s.scale == 0) s.scale = static_cast<Scalar>(1 / std::sqrt(static_cast<double>(s.head_dim)));
    mask.check(s.batch, s.queries, s.keys);
    check_terms(terms, s, mask);
    return s;
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
