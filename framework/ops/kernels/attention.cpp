#include "framework/ops/kernels/attention.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "framework/ops/kernels/attention.cpp"
#include <hwy/foreach_target.h>

#include "framework/ops/kernels/attention_scores-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus {
inline namespace LOCUS_SCALAR {
namespace HWY_NAMESPACE {

// Per-lane state of the online softmax.
struct Running {
    V max[strips], total[strips];
};

// The maximum of `max` and the scores of a strip, in four chains at a time.
HWY_INLINE V max_of(KeyRows rows, const Scalar* scores, V max) {
    const D d;
    const Index tile = query_tile();
    V a = max, b = max, e = max, f = max;
    Index j = rows.begin;
    for (; j + 4 <= rows.end; j += 4) {
        a = hn::Max(a, hn::LoadU(d, scores + j * tile));
        b = hn::Max(b, hn::LoadU(d, scores + (j + 1) * tile));
        e = hn::Max(e, hn::LoadU(d, scores + (j + 2) * tile));
        f = hn::Max(f, hn::LoadU(d, scores + (j + 3) * tile));
    }
    for (; j < rows.end; ++j) a = hn::Max(a, hn::LoadU(d, scores + j * tile));
    return hn::Max(hn::Max(a, b), hn::Max(e, f));
}

// Turns the scores of a strip into 2^(score - maximum so far); gives what earlier sums are multiplied by.
HWY_INLINE V exponentiate(KeyRows rows, Scalar* scores, V& max, V& total) {
    const D d;
    const Index tile = query_tile();
    const V now = max_of(rows, scores, max);
    // a lane that has seen nothing yet keeps -inf; subtracting 0 then gives 2^-inf = 0
    const V finite = hn::IfThenElse(hn::Eq(now, hn::Set(d, -infinity)), zero(), now);
    const V factor = weight(hn::Sub(max, finite));
    V sum = hn::Mul(total, factor);
    for (Index j = rows.begin; j < rows.end; ++j) {
        const V e = weight(hn::Sub(hn::LoadU(d, scores + j * tile), finite));
        hn::StoreU(e, d, scores + j * tile);
        sum = hn::Add(sum, e);
    }
    max = now;
    total = sum;
    return factor;
}

// sums [width, query tile], those of one strip.
HWY_INLINE void shrink(V factor, Index width, Scalar* sums) {
    if (hn::AllTrue(D(), hn::Eq(factor, set(1.0)))) return;
    for (Index c = 0; c < width; ++c, sums += query_tile())
        hn::StoreU(hn::Mul(hn::LoadU(D(), sums), factor), D(), sums);
}

// log 2 of sum 2^score, +inf for a query that sees nothing; a NaN is passed on.
HWY_INLINE V log_of_sum(V max, V total) {
    const V log = hn::Add(max, hn::Log2(D(), total));
    const V passed = hn::IfThenElse(hn::Eq(total, total), log, total);
    return hn::IfThenElse(hn::Eq(total, zero()), set(infinity), passed);
}

void AttentionForward(const AttentionHead& head, Scalar* out, Index out_stride, Scalar* lse) {
    const Index width = head.head_dim;
    const Scratch block(Scores::size(head) + (width + key_tile) * query_tile());
    Workspace memory(block.data());
    const Scores scores_of(head, memory);
    Scalar* const sums = memory.take(width * query_tile());
    Scalar* const scores = memory.take(key_tile * query_tile());
    QueryTile tile;

    for (Index begin = 0; begin < head.queries; begin += query_tile()) {
        place_tile(head, begin, tile);
        scores_of.take_queries(tile);
        std::fill_n(sums, width * query_tile(), Scalar{0});
        Running running;
        std::fill_n(running.max, strips, set(-infinity));
        std::fill_n(running.total, strips, zero());

        for_each_key_tile(head, tile, {0, head.keys}, [&](Index key, Index) {
            scores_of(tile, key, scores);
            for (int s = 0; s < strips; ++s) {
                if (tile.rows[s].count() == 0) continue;
                const V factor =
                    exponentiate(tile.rows[s], scores + s * lanes(), running.max[s], running.total[s]);
                shrink(factor, width, sums + s * lanes());
            }
            add_weighted_rows(head, tile, head.v, key, scores, sums);
            const RelativeTable& values = head.relative_values;
            scores_of.for_each_band_of(values, tile, key, [&](const Band& band, Index lane) {
                scores_of.relative().add_up(band, scores + lane);
                scores_of.relative().multiply_table(values, band, sums + lane);
            });
        });

        for (int s = 0; s < strips && tile.strip[s].count > 0; ++s) {
            const Strip& strip = tile.strip[s];
            const V total = running.total[s];
            const V factor = hn::IfThenZeroElse(hn::Eq(total, zero()), hn::Div(set(1.0), total));
            lanes_to_rows(sums + s * lanes(), query_tile(), factor, strip.count, width,
                          out + strip.begin * out_stride, out_stride);
            const V log = log_of_sum(running.max[s], total);
            if (strip.count == lanes()) {
                Whole().store(log, lse + strip.begin);
            } else {
                Tail(strip.count).store(log, lse + strip.begin);
            }
        }
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace LOCUS_SCALAR
}  // namespace locus
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus {
inline namespace LOCUS_SCALAR {

HWY_EXPORT(AttentionForward);

namespace kernels {

void attention_forward(const AttentionHead& head, Scalar* out, Index out_stride, Scalar* lse) {
    HWY_DYNAMIC_DISPATCH(AttentionForward)(head, out, out_stride, lse);
}

}  // namespace kernels
}  // namespace LOCUS_SCALAR
}  // namespace locus
#endif
