// Tiles of queries and keys for the attention kernels: which there are, their masks and their biases.
#if defined(LOCUS_ATTENTION_TILES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_ATTENTION_TILES_INL_H
#undef LOCUS_ATTENTION_TILES_INL_H
#else
#define LOCUS_ATTENTION_TILES_INL_H
#endif

#include <algorithm>
#include <limits>

#include "framework/ops/kernels/attention.h"
#include "framework/ops/kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::inline LOCUS_SCALAR {
namespace HWY_NAMESPACE {

using kernels::AttentionHead;

// Scores are held transposed, keys in rows and queries in lanes: maxima, sums and row statistics are
// vertical, a mask is two comparisons a vector (four if dilated) and a distance bias one contiguous load.
constexpr Index key_tile = 64;
constexpr int strips = 2;  // vectors of queries in a query tile
constexpr Scalar infinity = std::numeric_limits<Scalar>::infinity();

HWY_INLINE Index query_tile() {
    return strips * lanes();
}
HWY_INLINE Index round_to_lanes(Index count) {
    return (count + lanes() - 1) / lanes() * lanes();
}

// One tile of queries: what they see and where they are. Lanes past the last query see nothing.
struct QueryTile {
    Index begin, count;
    HWY_ALIGN Scalar first[strips * HWY_MAX_BYTES / sizeof(Scalar)];
    HWY_ALIGN Scalar last[strips * HWY_MAX_BYTES / sizeof(Scalar)];
    HWY_ALIGN Scalar residue[strips * HWY_MAX_BYTES / sizeof(Scalar)];  // below 0: any
    Index least_first, most_first, least_last, most_last;  // over all lanes, those past the end included
    bool dilated;                                          // some lane sees one residue only
    bool consecutive;                                      // positions run on by one a lane
};

QueryTile query_tile_at(const AttentionHead& head, Index begin) {
    QueryTile tile;
    tile.begin = begin;
    tile.count = std::min(query_tile(), head.queries - begin);
    tile.least_first = tile.least_last = head.keys;
    tile.most_first = tile.most_last = -1;
    tile.dilated = false;
    for (Index lane = 0; lane < query_tile(); ++lane) {
        const bool real = lane < tile.count;
        const KeyRange seen =
            real ? head.ranges->queries[static_cast<std::size_t>(begin + lane)] : KeyRange{1, -1};
        tile.first[lane] = static_cast<Scalar>(seen.first);
        tile.last[lane] = static_cast<Scalar>(seen.last);
        tile.residue[lane] = static_cast<Scalar>(seen.residue);
        tile.dilated = tile.dilated || seen.residue != KeyRange::any;
        if (real && seen.last >= 0) tile.least_first = std::min(tile.least_first, seen.first);
        tile.most_first = std::max(tile.most_first, seen.first);
        tile.least_last = std::min(tile.least_last, seen.last);
        tile.most_last = std::max(tile.most_last, seen.last);
    }
    tile.consecutive = head.bias != nullptr;
    for (Index i = begin; tile.consecutive && i < begin + tile.count; ++i) {
        tile.consecutive = head.query_positions[i] != Positions::none &&
                           head.query_positions[i] == head.query_positions[begin] + (i - begin);
    }
    return tile;
}

// Whether some query of a dilated tile sees one of the keys begin..end-1.
bool sees_any(const AttentionHead& head, const QueryTile& tile, Index begin, Index end) {
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

// Calls body(key, count, partial) for every tile of keys that some query of the tile sees.
template <typename Body>
void for_each_key_tile(const AttentionHead& head, const QueryTile& tile, const Body& body) {
    const MaskRanges& ranges = *head.ranges;
    const auto run = [&](Index begin, Index end) {
        for (Index key = begin; key < end; key += key_tile) {
            const Index stop = std::min(key + key_tile, end);
            if (tile.dilated && !sees_any(head, tile, key, stop)) continue;
            const bool near_all = key >= tile.most_first && !tile.dilated;
            const bool seen_by_all = (near_all || stop <= ranges.global) && stop - 1 <= tile.least_last;
            body(key, stop - key, !seen_by_all || ranges.by_segment);
        }
    };
    const Index end = tile.most_last + 1;
    const Index begin = std::min(tile.least_first, end);
    run(0, std::min({ranges.global, begin, end}));
    run(begin, end);
}

void add_bias(const AttentionHead& head, const QueryTile& tile, Index key, Index count, Scalar* scores) {
    for (Index j = 0; j < count; ++j, scores += query_tile()) {
        const std::int64_t position = head.key_positions[key + j];
        if (position == Positions::none) continue;
        if (tile.consecutive) {
            const Scalar* bias =
                head.bias + (head.query_positions[tile.begin] - position - head.first_distance);
            for (int s = 0; s < strips; ++s) {
                Scalar* at = scores + s * lanes();
                hn::StoreU(hn::Add(hn::LoadU(D(), at), hn::LoadU(D(), bias + s * lanes())), D(), at);
            }
            continue;
        }
        for (Index i = 0; i < tile.count; ++i) {
            const std::int64_t query = head.query_positions[tile.begin + i];
            if (query != Positions::none) scores[i] += head.bias[query - position - head.first_distance];
        }
    }
}

// The mirror of add_bias: dbias[distance] += gradient of the score.
void add_bias_gradient(const AttentionHead& head, const QueryTile& tile, Index key, Index count,
                       const Scalar* dscores, Scalar* dbias) {
    for (Index j = 0; j < count; ++j, dscores += query_tile()) {
        const std::int64_t position = head.key_positions[key + j];
        if (position == Positions::none) continue;
        if (tile.consecutive) {
            Scalar* row = dbias + (head.query_positions[tile.begin] - position - head.first_distance);
            for (int s = 0; s < strips; ++s) {
                Scalar* at = row + s * lanes();
                hn::StoreU(hn::Add(hn::LoadU(D(), at), hn::LoadU(D(), dscores + s * lanes())), D(), at);
            }
            continue;
        }
        for (Index i = 0; i < tile.count; ++i) {
            const std::int64_t query = head.query_positions[tile.begin + i];
            if (query != Positions::none) dbias[query - position - head.first_distance] += dscores[i];
        }
    }
}

void apply_mask(const AttentionHead& head, const QueryTile& tile, Index key, Index count, Scalar* scores) {
    const D d;
    for (Index j = 0; j < count; ++j, scores += query_tile()) {
        const bool global = key + j < head.ranges->global;
        const V index = set(key + j), residue = set(tile.dilated ? (key + j) % head.ranges->dilation : 0);
        for (int s = 0; s < strips; ++s) {
            Scalar* at = scores + s * lanes();
            auto seen = hn::Le(index, hn::Load(d, tile.last + s * lanes()));
            if (!global) seen = hn::And(seen, hn::Ge(index, hn::Load(d, tile.first + s * lanes())));
            if (!global && tile.dilated) {
                const V asked = hn::Load(d, tile.residue + s * lanes());
                seen = hn::And(seen, hn::Or(hn::Eq(asked, residue), hn::Lt(asked, zero())));
            }
            hn::StoreU(hn::IfThenElse(seen, hn::LoadU(d, at), hn::Set(d, -infinity)), d, at);
        }
        if (!head.ranges->by_segment) continue;
        for (Index i = 0; i < tile.count; ++i) {
            const std::int32_t segment = head.query_segments[tile.begin + i];
            if (segment < 0 || segment != head.key_segments[key + j]) scores[i] = -infinity;
        }
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace locus::inline LOCUS_SCALAR
HWY_AFTER_NAMESPACE();

#endif
