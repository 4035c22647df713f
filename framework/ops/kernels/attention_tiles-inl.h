// Tiles of queries and keys for the attention kernels: which there are, their masks and their biases.
#if defined(LOCUS_ATTENTION_TILES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_ATTENTION_TILES_INL_H
#undef LOCUS_ATTENTION_TILES_INL_H
#else
#define LOCUS_ATTENTION_TILES_INL_H
#endif

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "framework/ops/kernels/attention.h"
#include "framework/ops/kernels/attention_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus {
inline namespace LOCUS_SCALAR {
namespace HWY_NAMESPACE {

using kernels::AttentionHead;

// Scores are held transposed, keys in rows and queries in lanes: maxima, sums and row statistics are
// vertical, a mask is two comparisons per vector (four if dilated) and a distance bias one contiguous load.
constexpr Index key_tile = 64;
constexpr int strips = 4;  // vectors of queries in a query tile
constexpr Scalar infinity = std::numeric_limits<Scalar>::infinity();

HWY_INLINE Index query_tile() {
    return strips * lanes();
}
HWY_INLINE Index round_to_lanes(Index count) {
    return (count + lanes() - 1) / lanes() * lanes();
}

// One vector of queries: what they see and where they are. Lanes past the last query see nothing.
struct Strip {
    Index begin, count;  // of queries; count <= 0: none
    HWY_ALIGN Scalar first[HWY_MAX_BYTES / sizeof(Scalar)];
    HWY_ALIGN Scalar last[HWY_MAX_BYTES / sizeof(Scalar)];
    HWY_ALIGN Scalar residue[HWY_MAX_BYTES / sizeof(Scalar)];  // below 0: any
    Index min_first, max_first, min_last, max_last;            // over all lanes, those past the end included
    bool dilated;                                              // some lane sees one residue only
    bool consecutive;                                          // positions run on by one a lane
};

// Some keys, or some rows of a tile of keys.
struct KeyRows {
    Index begin = 0, end = 0;
    Index count() const { return end - begin; }
    bool has(Index row) const { return begin <= row && row < end; }
};

struct QueryTile {
    Index begin, count;
    Strip strip[strips];
    KeyRows rows[strips];  // of the tile of keys at hand: those that the strip may see; all others count 0
};

inline bool runs_on(const std::int64_t* positions, Index count) {
    for (Index i = 0; i < count; ++i) {
        if (positions[i] == Positions::none || positions[i] != positions[0] + i) return false;
    }
    return true;
}

inline void place_strip(const AttentionHead& head, Index begin, Strip& strip) {
    strip.begin = begin;
    strip.count = std::min(lanes(), head.queries - begin);
    strip.min_first = strip.min_last = head.keys;
    strip.max_first = strip.max_last = -1;
    strip.dilated = false;
    for (Index lane = 0; lane < lanes(); ++lane) {
        const bool real = lane < strip.count;
        const KeyRange seen =
            real ? head.ranges->queries[static_cast<std::size_t>(begin + lane)] : KeyRange{1, -1};
        strip.first[lane] = static_cast<Scalar>(seen.first);
        strip.last[lane] = static_cast<Scalar>(seen.last);
        strip.residue[lane] = static_cast<Scalar>(seen.residue);
        strip.dilated = strip.dilated || seen.residue != KeyRange::any;
        if (real && seen.last >= 0) strip.min_first = std::min(strip.min_first, seen.first);
        strip.max_first = std::max(strip.max_first, seen.first);
        strip.min_last = std::min(strip.min_last, seen.last);
        strip.max_last = std::max(strip.max_last, seen.last);
    }
    strip.consecutive = head.query_positions != nullptr && strip.count > 0 &&
                        runs_on(head.query_positions + begin, strip.count);
}

inline void place_tile(const AttentionHead& head, Index begin, QueryTile& tile) {
    tile.begin = begin;
    tile.count = std::min(query_tile(), head.queries - begin);
    for (int s = 0; s < strips; ++s) place_strip(head, begin + s * lanes(), tile.strip[s]);
}

// Whether some query of a dilated tile sees one of the keys begin..end-1.
inline bool sees_any(const AttentionHead& head, const QueryTile& tile, Index begin, Index end) {
    const MaskRanges& ranges = *head.ranges;
    for (Index i = tile.begin; i < tile.begin + tile.count; ++i) {
        const KeyRange& seen = ranges.queries[static_cast<std::size_t>(i)];
        if (begin <= std::min({seen.last, ranges.global - 1, end - 1})) return true;
        Index next = std::max(begin, seen.first);  // then the first from there that has the residue
        if (seen.residue != KeyRange::any)
            next += (seen.residue - next % ranges.dilation + ranges.dilation) % ranges.dilation;
        if (next <= std::min(seen.last, end - 1)) return true;
    }
    return false;
}

inline KeyRows rows_of(const AttentionHead& head, const Strip& strip, Index key, Index count) {
    const Index first = key < head.ranges->global ? 0 : strip.min_first - key;
    const KeyRows rows{std::clamp<Index>(first, 0, count),
                       std::clamp<Index>(strip.max_last + 1 - key, 0, count)};
    return rows.begin < rows.end ? rows : KeyRows{};
}

// Calls body(key, count) for every tile of the keys `among` that some query of the tile sees, with tile.rows
// set.
template <typename Body>
void for_each_key_tile(const AttentionHead& head, QueryTile& tile, KeyRows among, const Body& body) {
    Index first = head.keys, last = -1;
    bool dilated = false;
    for (const Strip& strip : tile.strip) {
        first = std::min(first, strip.min_first);
        last = std::max(last, strip.max_last);
        dilated = dilated || strip.dilated;
    }
    const auto run = [&](Index from, Index to) {
        const Index stop = std::min(to, among.end);
        for (Index key = std::max(from, among.begin); key < stop; key += key_tile) {
            const Index count = std::min(key_tile, stop - key);
            if (dilated && !sees_any(head, tile, key, key + count)) continue;
            for (int s = 0; s < strips; ++s) tile.rows[s] = rows_of(head, tile.strip[s], key, count);
            body(key, count);
        }
    };
    const Index end = last + 1, begin = std::min(first, end);
    run(0, std::min({head.ranges->global, begin, end}));
    run(begin, end);
}

template <int NV>
using Vectors = std::integral_constant<int, NV>;

// Calls body(Vectors<NV>, strip, rows) for what the strips see: two strips together where both see the rows.
template <typename Body>
void for_each_block(const QueryTile& tile, const Body& body) {
    const auto alone = [&](int s, Index begin, Index end) {
        if (begin < end) body(Vectors<1>(), s, KeyRows{begin, end});
    };
    for (int s = 0; s < strips; s += 2) {
        const KeyRows a = tile.rows[s], b = tile.rows[s + 1];
        const KeyRows both{std::max(a.begin, b.begin), std::min(a.end, b.end)};
        if (both.begin >= both.end) {
            alone(s, a.begin, a.end);
            alone(s + 1, b.begin, b.end);
            continue;
        }
        body(Vectors<2>(), s, both);
        alone(s, a.begin, both.begin);
        alone(s, both.end, a.end);
        alone(s + 1, b.begin, both.begin);
        alone(s + 1, both.end, b.end);
    }
}

// Calls body(rows, first lane, lanes) for runs of keys that the same strips see.
template <typename Body>
void for_each_key_run(const QueryTile& tile, Index count, const Body& body) {
    const auto strips_of = [&](Index row) {
        int first = 0, last = strips - 1;
        while (first < strips && !tile.rows[first].has(row)) ++first;
        while (last >= first && !tile.rows[last].has(row)) --last;
        return std::pair(first, last);
    };
    for (Index begin = 0; begin < count;) {
        const auto seen = strips_of(begin);
        Index end = begin + 1;
        while (end < count && strips_of(end) == seen) ++end;
        const Index lane = seen.first * lanes();
        if (seen.first <= seen.second)
            body(KeyRows{begin, end}, lane, std::min((seen.second + 1) * lanes(), tile.count) - lane);
        begin = end;
    }
}

// Zeros in a strip where a tile [count, query tile] has keys that the strip does not see.
inline void clear_unseen(const QueryTile& tile, Index count, Scalar* values) {
    for (int s = 0; s < strips; ++s, values += lanes()) {
        const KeyRows rows = tile.rows[s];
        for (Index j = 0; j < rows.begin; ++j) hn::StoreU(zero(), D(), values + j * query_tile());
        for (Index j = rows.end; j < count; ++j) hn::StoreU(zero(), D(), values + j * query_tile());
    }
}

// scores [rows, query tile], those of one strip: the bias in units of log 2.
inline void add_bias(const AttentionHead& head, const Strip& strip, KeyRows rows, Index key, Scalar* scores) {
    const V unit = set(log2_e);
    scores += rows.begin * query_tile();
    for (Index j = rows.begin; j < rows.end; ++j, scores += query_tile()) {
        const std::int64_t position = head.key_positions[key + j];
        if (position == Positions::none) continue;
        if (strip.consecutive) {
            const V bias = hn::LoadU(
                D(), head.bias + (head.query_positions[strip.begin] - position - head.first_distance));
            hn::StoreU(hn::MulAdd(bias, unit, hn::LoadU(D(), scores)), D(), scores);
            continue;
        }
        for (Index i = 0; i < strip.count; ++i) {
            const std::int64_t query = head.query_positions[strip.begin + i];
            if (query == Positions::none) continue;
            scores[i] += static_cast<Scalar>(log2_e) * head.bias[query - position - head.first_distance];
        }
    }
}

// The mirror of add_bias: dbias[distance] += gradient of the score. Keys are taken in steps of a vector:
// those of neighbours overlap, and a load waits long for a store that it overlaps in part.
inline void add_bias_gradient(const AttentionHead& head, const Strip& strip, KeyRows rows, Index key,
                              const Scalar* dscores, Scalar* dbias) {
    const auto add_row = [&](Index j) {
        const std::int64_t position = head.key_positions[key + j];
        const Scalar* from = dscores + j * query_tile();
        if (position == Positions::none) return;
        if (strip.consecutive) {
            Scalar* at = dbias + (head.query_positions[strip.begin] - position - head.first_distance);
            return hn::StoreU(hn::Add(hn::LoadU(D(), at), hn::LoadU(D(), from)), D(), at);
        }
        for (Index i = 0; i < strip.count; ++i) {
            const std::int64_t query = head.query_positions[strip.begin + i];
            if (query != Positions::none) dbias[query - position - head.first_distance] += from[i];
        }
    };
    for (Index first = rows.begin; first < std::min(rows.begin + lanes(), rows.end); ++first)
        for (Index j = first; j < rows.end; j += lanes()) add_row(j);
}

// -inf for the keys of some rows that a lane does not see.
inline void hide(const AttentionHead& head, const Strip& strip, KeyRows rows, Index key, Scalar* scores) {
    const D d;
    for (Index j = rows.begin; j < rows.end; ++j) {
        Scalar* at = scores + j * query_tile();
        const bool global = key + j < head.ranges->global;
        const V index = set(key + j);
        auto seen = hn::Le(index, hn::Load(d, strip.last));
        if (!global) seen = hn::And(seen, hn::Ge(index, hn::Load(d, strip.first)));
        if (!global && strip.dilated) {
            const V asked = hn::Load(d, strip.residue), residue = set((key + j) % head.ranges->dilation);
            seen = hn::And(seen, hn::Or(hn::Eq(asked, residue), hn::Lt(asked, zero())));
        }
        hn::StoreU(hn::IfThenElse(seen, hn::LoadU(d, at), hn::Set(d, -infinity)), d, at);
        if (!head.ranges->by_segment) continue;
        for (Index i = 0; i < strip.count; ++i) {
            const std::int32_t segment = head.query_segments[strip.begin + i];
            if (segment < 0 || segment != head.key_segments[key + j]) at[i] = -infinity;
        }
    }
}

// The same where it is needed: all lanes see the rows between.
inline void apply_mask(const AttentionHead& head, const Strip& strip, KeyRows rows, Index key,
                       Scalar* scores) {
    if (strip.dilated || head.ranges->by_segment) return hide(head, strip, rows, key, scores);
    const Index near = std::max(strip.max_first, Index{0}) - key;
    const Index begin = std::clamp(near, rows.begin, rows.end);
    const Index end = std::clamp(strip.min_last + 1 - key, begin, rows.end);
    hide(head, strip, {rows.begin, begin}, key, scores);
    hide(head, strip, {end, rows.end}, key, scores);
}

}  // namespace HWY_NAMESPACE
}  // namespace LOCUS_SCALAR
}  // namespace locus
HWY_AFTER_NAMESPACE();

#endif
