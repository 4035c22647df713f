// Terms with a vector for each distance (arXiv:1803.02155, arXiv:1901.02860) in the attention kernels.
//
// Where queries and keys run on by one, the distances of a strip of queries and a tile of keys are a band of
// (keys + lanes - 1) numbers, and pair (i, j) has the distance number (last key - j) + (i - first lane). So
// the band's vectors times the queries are one product [band, lanes], of which each pair needs one entry on a
// diagonal; and weights of pairs, put on their diagonals, go back by one product. Neighbours in the band that
// share a row of the table (clipped distances) are multiplied once.
#if defined(LOCUS_ATTENTION_RELATIVE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_ATTENTION_RELATIVE_INL_H
#undef LOCUS_ATTENTION_RELATIVE_INL_H
#else
#define LOCUS_ATTENTION_RELATIVE_INL_H
#endif

#include <algorithm>

#include "framework/ops/kernels/attention_tiles-inl.h"
#include "framework/ops/kernels/register_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus {
inline namespace LOCUS_SCALAR {
namespace HWY_NAMESPACE {

using kernels::RelativeTable;

constexpr Index max_lanes = HWY_MAX_BYTES / sizeof(Scalar);

// Lanes and keys whose positions run on by one, and whose distances use every `step`-th row of the table.
struct Band {
    Index lane, lanes_end;                     // of the strip
    KeyRows rows;                              // of the tile of keys
    Index distances;                           // from the first lane to the last key, and on by one
    Index first_row, step, count;              // the rows of the table that are used
    std::int32_t place[key_tile + max_lanes];  // which of these a distance has
};

// Sets the rows of a band; false where they are not evenly spaced. A row below 0 is none: first_row is -1.
inline bool find_rows(const RelativeTable& table, std::int64_t min, Band& band) {
    band.distances = band.rows.count() + band.lanes_end - band.lane - 1;
    const std::int32_t* map = table.rows + (min - table.first_distance);
    band.first_row = map[0];
    band.step = 1;
    band.count = 1;
    band.place[0] = 0;
    for (Index d = 1; d < band.distances; ++d) {
        if (map[d] != map[d - 1]) {
            if (map[0] < 0 || map[d] < 0) return false;
            if (band.count == 1) band.step = map[d] - map[d - 1];
            if (map[d] - map[d - 1] != band.step) return false;
            ++band.count;
        }
        band.place[d] = static_cast<std::int32_t>(band.count - 1);
    }
    return true;
}

// Calls body(band) for parts of lanes and rows, all consecutive, that together have a row of the table.
template <typename Body>
void for_each_part(const AttentionHead& head, const RelativeTable& table, const Strip& strip, Index key,
                   Band& band, const Body& body) {
    const Index lane = band.lane, end = band.lanes_end;
    const KeyRows rows = band.rows;
    const std::int64_t min =
        head.query_positions[strip.begin + lane] - head.key_positions[key + rows.end - 1];
    if (find_rows(table, min, band)) {
        if (band.first_row >= 0) body(band);
        return;
    }
    const auto part = [&](Index first_lane, Index last_lane, KeyRows part_rows) {
        band.lane = first_lane;
        band.lanes_end = last_lane;
        band.rows = part_rows;
        for_each_part(head, table, strip, key, band, body);
    };
    if (rows.count() >= end - lane) {
        const Index middle = (rows.begin + rows.end) / 2;
        part(lane, end, {rows.begin, middle});
        part(lane, end, {middle, rows.end});
    } else {
        part(lane, (lane + end) / 2, rows);
        part((lane + end) / 2, end, rows);
    }
}

// Calls body(begin, end) for runs of positions from begin to end that go on by one; the others have none.
template <typename Body>
void for_each_run(const std::int64_t* positions, Index begin, Index end, const Body& body) {
    while (begin < end) {
        Index stop = begin + 1;
        if (positions[begin] != Positions::none) {
            while (stop < end && positions[stop] == positions[begin] + (stop - begin)) ++stop;
            body(begin, stop);
        }
        begin = stop;
    }
}

template <typename Body>
void for_each_band(const AttentionHead& head, const RelativeTable& table, const Strip& strip, KeyRows rows,
                   Index key, const Body& body) {
    Band band;
    for_each_run(head.query_positions + strip.begin, 0, strip.count, [&](Index lane, Index lanes_end) {
        for_each_run(head.key_positions + key, rows.begin, rows.end, [&](Index begin, Index end) {
            band.lane = lane;
            band.lanes_end = lanes_end;
            band.rows = {begin, end};
            for_each_part(head, table, strip, key, band, body);
        });
    });
}

// Lanes of one vector, by their number modulo four and by fours.
struct Stagger {
    hn::Mask<D> within[4], fours[4];
    Stagger() {
        const D d;
        const V lane = hn::Iota(d, 0), fourth = hn::Floor(hn::Mul(lane, set(0.25)));
        const V rest = hn::Sub(lane, hn::Mul(fourth, set(4.0)));
        for (int i = 0; i < 4; ++i) {
            within[i] = hn::Eq(rest, set(i));
            fours[i] = hn::Eq(fourth, set(i));
        }
    }
    // The vector whose lane l comes from row l * step of those from `from` on.
    static HWY_INLINE V pick(const hn::Mask<D>* lanes_of, Index max, const Scalar* from, Index step) {
        const D d;
        V v = hn::LoadU(d, from);
        for (Index i = 1; i < max; ++i)
            v = hn::IfThenElse(lanes_of[i], hn::LoadU(d, from + i * step * lanes()), v);
        return v;
    }
    // Lane l of every row [count + lanes - 1, lanes] moves up by l rows, in place; `count` rows remain.
    void operator()(Index count, Scalar* rows) const {
        const Index n = lanes(), quarter = std::min<Index>(n, 4);
        for (Index r = 0; r < count + n - quarter; ++r)
            hn::StoreU(pick(within, quarter, rows + r * n, 1), D(), rows + r * n);
        for (Index r = 0; r < count && n > 4; ++r)
            hn::StoreU(pick(fours, n / 4, rows + r * n, 4), D(), rows + r * n);
    }
};

// What the terms of a band need while they are computed.
class RelativeTile {
  public:
    static Index size() { return 2 * rows() * lanes(); }
    RelativeTile(const AttentionHead& head, Scalar* memory)
        : head_(head), products_(memory), rows_(memory + rows() * lanes()) {}

    // scores [keys, query tile] of one strip += queries [head_dim, query tile] of that strip times the
    // table's rows of the pairs.
    void add_terms(const RelativeTable& table, const Band& band, const Scalar* queries, Scalar* scores) const;

    // sums() [band.count, lanes] = weights [keys, query tile] of one strip, those of a row of the table
    // added.
    void add_up(const Band& band, const Scalar* weights) const;

    // sums [head_dim, query tile] of one strip += the table's rows times sums()
    void multiply_table(const RelativeTable& table, const Band& band, Scalar* sums) const {
        multiply<1, true>(head_.head_dim, band.count,
                          Left<Order::by_columns>{row(table, band), band.step * head_.head_dim}, products_,
                          lanes(), sums, query_tile());
    }

    // Gradient of the table: its rows [.., stride] += sums() times rows of the strip's queries [count,
    // stride]
    void add_gradient(const Band& band, const Scalar* query_rows, Index count, Index stride,
                      Scalar* first_row) const {
        accumulate_product(band.count, stride, count, Left<Order::by_rows>{products_, lanes()}, query_rows,
                           stride, first_row, band.step * stride);
    }

  private:
    static Index rows() { return key_tile + 2 * max_lanes; }
    const Scalar* row(const RelativeTable& table, const Band& band) const {
        return table.table + band.first_row * head_.head_dim;
    }

    const AttentionHead& head_;
    const Stagger stagger_;
    Scalar *products_, *rows_;  // each [rows(), lanes]
};

inline void RelativeTile::add_terms(const RelativeTable& table, const Band& band, const Scalar* queries,
                                    Scalar* scores) const {
    const D d;
    const Index n = lanes(), width = head_.head_dim;
    const auto own = hn::AndNot(hn::FirstN(d, static_cast<std::size_t>(band.lane)),
                                hn::FirstN(d, static_cast<std::size_t>(band.lanes_end)));
    const auto add = [&](Index j, V term) {
        Scalar* at = scores + j * query_tile();
        hn::StoreU(hn::Add(hn::LoadU(d, at), hn::IfThenElseZero(own, term)), d, at);
    };
    const bool each = band.count == band.distances;  // a row for each distance
    Scalar* staggered = rows_ + band.lane * n;       // where the first lane of the band finds its row
    multiply<1, false>(band.count, width, Left<Order::by_rows>{row(table, band), band.step * width}, queries,
                       query_tile(), each ? staggered : products_, n);
    if (band.count == 1) {
        const V term = hn::LoadU(d, each ? staggered : products_);
        for (Index j = band.rows.begin; j < band.rows.end; ++j) add(j, term);
        return;
    }
    for (Index r = 0; r < band.distances && !each; ++r)
        hn::StoreU(hn::LoadU(d, products_ + band.place[r] * n), d, staggered + r * n);
    stagger_(band.rows.count(), rows_);
    for (Index j = band.rows.begin; j < band.rows.end; ++j)
        add(j, hn::LoadU(d, rows_ + (band.rows.end - 1 - j) * n));
}

inline void RelativeTile::add_up(const Band& band, const Scalar* weights) const {
    const D d;
    const Index n = lanes(), count = band.rows.count();
    const auto own = hn::AndNot(hn::FirstN(d, static_cast<std::size_t>(band.lane)),
                                hn::FirstN(d, static_cast<std::size_t>(band.lanes_end)));
    const auto weight_of = [&](Index j) {
        return hn::IfThenElseZero(own, hn::LoadU(d, weights + j * query_tile()));
    };
    if (band.count == 1) {
        V total = zero();
        for (Index j = band.rows.begin; j < band.rows.end; ++j) total = hn::Add(total, weight_of(j));
        return hn::StoreU(total, d, products_);
    }
    std::fill_n(rows_, (n - 1) * n, Scalar{0});
    for (Index j = 0; j < count; ++j) hn::StoreU(weight_of(band.rows.begin + j), d, rows_ + (n - 1 + j) * n);
    std::fill_n(rows_ + (n - 1 + count) * n, (n - 1) * n, Scalar{0});
    stagger_(count + n - 1, rows_);
    // row r now has, in each lane, the weight of the distance number last - r
    const Index last = count + n - 2 - band.lane;
    V total = zero();
    for (Index r = 0; r < band.distances; ++r) {
        total = hn::Add(total, hn::LoadU(d, rows_ + (last - r) * n));
        if (r + 1 < band.distances && band.place[r + 1] == band.place[r]) continue;
        hn::StoreU(total, d, products_ + band.place[r] * n);
        total = zero();
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace LOCUS_SCALAR
}  // namespace locus
HWY_AFTER_NAMESPACE();

#endif
