#include "framework/ops/attention_checks.h"

#include <cmath>

namespace locus::inline LOCUS_SCALAR {

namespace {

void check_bias(const AttentionTerms& terms, const AttentionSizes& s) {
    const DistanceBias& bias = terms.bias;
    require(bias.table.shape().rank() == 2 && bias.table.size(0) == s.heads,
            "attention: expected a bias table [{}, R], found {}", s.heads, bias.table.shape());
    const auto fits = [&](const Positions& p, Index length) {
        return p.axes() == 1 && p.length() == length && (p.batch() == 1 || p.batch() == s.batch);
    };
    require(fits(terms.query, s.queries) && fits(terms.key, s.keys),
            "attention: positions [{}, {}, {}] and [{}, {}, {}] do not fit {} queries and {} keys",
            terms.query.batch(), terms.query.length(), terms.query.axes(), terms.key.batch(),
            terms.key.length(), terms.key.axes(), s.queries, s.keys);
    const std::int64_t least = terms.query.least() - terms.key.greatest();
    const std::int64_t greatest = terms.query.greatest() - terms.key.least();
    const auto end = bias.first + static_cast<std::int64_t>(bias.rows.size());
    require(bias.first <= least && greatest < end,
            "attention: the bias covers distances {} to {}, needed are {} to {}", bias.first, end - 1, least,
            greatest);
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
    if (terms.bias) check_bias(terms, s);
    return s;
}

}  // namespace locus::inline LOCUS_SCALAR
