#include "framework/ops/pairs.h"

#include "framework/core/double_sums.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

void check_pairs(const Shape& x, const PairRows& pairs, Index width) {
    require(x.rank() == 4 && x[2] == pairs.queries && x[3] == width &&
                (pairs.sheets == 1 || pairs.sheets == x[0]) &&
                static_cast<Index>(pairs.rows.size()) == pairs.sheets * pairs.queries * pairs.keys,
            "pairs: x is {}; expected [B, H, {}, {}] with B {}", x, pairs.queries, width, pairs.sheets);
}

void no_more(Index) {}

// Calls body(row, query, place in [B, H, Tq, Tk]) for every pair that has a row, and after all pairs of a
// query done(query), where query is a place in [B, H, Tq].
template <typename Body, typename Done = decltype(no_more)>
void for_each_pair(Index batch, Index heads, const PairRows& pairs, const Body& body,
                   const Done& done = no_more) {
    const Index sheet = pairs.queries * pairs.keys;
    for (Index b = 0; b < batch; ++b) {
        const std::int32_t* rows = pairs.rows.data() + (pairs.sheets == 1 ? 0 : b) * sheet;
        for (Index h = 0; h < heads; ++h) {
            for (Index i = 0; i < pairs.queries; ++i) {
                const Index query = (b * heads + h) * pairs.queries + i;
                for (Index j = 0; j < pairs.keys; ++j) {
                    const std::int32_t row = rows[i * pairs.keys + j];
                    if (row >= 0) body(row, query, query * pairs.keys + j);
                }
                done(query);
            }
        }
    }
}

MutableTensor taken(const Tensor& x, const PairRows& pairs) {
    MutableTensor out = Tensor::zeros({x.size(0), x.size(1), pairs.queries, pairs.keys});
    for_each_pair(x.size(0), x.size(1), pairs, [&](Index row, Index query, Index pair) {
        out.data()[pair] = x.data()[query * x.size(3) + row];
    });
    return out;
}

MutableTensor summed(const Tensor& w, const PairRows& pairs, Index count) {
    MutableTensor out = Tensor::empty({w.size(0), w.size(1), pairs.queries, count});
    DoubleSums sums(count);  // clipped distances: most keys may share a row
    for_each_pair(
        w.size(0), w.size(1), pairs, [&](Index row, Index, Index pair) { sums.add(row, w.data()[pair]); },
        [&](Index query) { sums.give(out.data() + query * count); });
    return out;
}

}  // namespace

PairRows pair_rows(const Positions& query, const Positions& key, std::int64_t first,
                   const WorkVector<std::int32_t>& rows) {
    PairRows pairs{std::max(query.batch(), key.batch()), query.length(), key.length(), {}};
    pairs.rows.reserve(static_cast<std::size_t>(pairs.sheets * pairs.queries * pairs.keys));
    for (Index b = 0; b < pairs.sheets; ++b) {
        const std::int64_t *from = query.row(b), *to = key.row(b);
        for (Index i = 0; i < pairs.queries; ++i) {
            for (Index j = 0; j < pairs.keys; ++j) {
                const bool placed = from[i] != Positions::none && to[j] != Positions::none;
                pairs.rows.push_back(placed ? rows[static_cast<std::size_t>(from[i] - to[j] - first)] : -1);
            }
        }
    }
    return pairs;
}

Variable take_pairs(const Variable& x, const PairRows& pairs) {
    check_pairs(x.shape(), pairs, x.size(3));
    for (std::int32_t row : pairs.rows) {
        require(row < x.size(3), "take_pairs: row {} of {}", row, x.shape());
    }
    return record(taken(x.value(), pairs), {x},
                  [pairs, count = x.size(3)](const Tensor& cotangent, const Gradients& gradients) {
                      gradients.add(0, summed(cotangent, pairs, count));
                  });
}

Variable sum_pairs(const Variable& w, const PairRows& pairs, Index count) {
    check_pairs(w.shape(), pairs, pairs.keys);
    for (std::int32_t row : pairs.rows) require(row < count, "sum_pairs: row {} of {}", row, count);
    return record(summed(w.value(), pairs, count), {w},
                  [pairs](const Tensor& cotangent, const Gradients& gradients) {
                      gradients.add(0, taken(cotangent, pairs));
                  });
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
