// Scores of one head by tiles, in units of log 2: scaled products, relative keys, bias and mask.
#if defined(LOCUS_ATTENTION_SCORES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_ATTENTION_SCORES_INL_H
#undef LOCUS_ATTENTION_SCORES_INL_H
#else
#define LOCUS_ATTENTION_SCORES_INL_H
#endif

#include <algorithm>

#include "framework/ops/kernels/attention_relative-inl.h"
#include "framework/ops/kernels/attention_tiles-inl.h"
#include "framework/ops/kernels/register_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus {
inline namespace LOCUS_SCALAR {
namespace HWY_NAMESPACE {

// Arrays cut from one block of memory, each at the begin of a line of the cache.
class Workspace {
  public:
    explicit Workspace(Scalar* memory) : next_(memory) {}
    Scalar* take(Index count) {
        Scalar* const begin = next_;
        next_ += (count + line - 1) / line * line;
        return begin;
    }

  private:
    static constexpr Index line = 64 / sizeof(Scalar);
    Scalar* next_;
};

// scores [keys, query tile] = keys (or values) [.., head_dim] times queries [head_dim, query tile]
inline void multiply_rows(const AttentionHead& head, const QueryTile& tile, const Scalar* rows, Index key,
                          const Scalar* queries, Scalar* scores) {
    const Index width = head.head_dim, stride = query_tile();
    for_each_block(tile, [&](auto vectors, int s, KeyRows seen) {
        multiply<vectors(), false>(
            seen.count(), width, Left<Order::by_rows>{rows + (key + seen.begin) * width, width},
            queries + s * lanes(), stride, scores + seen.begin * stride + s * lanes(), stride);
    });
}

// sums [head_dim, query tile] += rows [keys, head_dim] transposed times weights [keys, query tile]
inline void add_weighted_rows(const AttentionHead& head, const QueryTile& tile, const Scalar* rows, Index key,
                              const Scalar* weights, Scalar* sums) {
    const Index width = head.head_dim, stride = query_tile();
    for_each_block(tile, [&](auto vectors, int s, KeyRows seen) {
        multiply<vectors(), true>(
            width, seen.count(), Left<Order::by_columns>{rows + (key + seen.begin) * width, width},
            weights + seen.begin * stride + s * lanes(), stride, sums + s * lanes(), stride);
    });
}

inline void queries_to_lanes(const QueryTile& tile, const Scalar* rows, Index stride, Index width,
                             Scalar factor, Scalar* to) {
    for (const Strip& strip : tile.strip) {
        rows_to_lanes(rows, stride, std::max<Index>(strip.count, 0), width, factor, to, query_tile());
        rows += lanes() * stride;
        to += lanes();
    }
}

// queries [width, query tile] += factor * bias [width] in every lane, where there is one
inline void add_to_lanes(const Scalar* bias, Index width, Scalar factor, Scalar* queries) {
    if (bias == nullptr) return;
    for (Index c = 0; c < width; ++c, queries += query_tile()) {
        const V term = set(factor * bias[c]);
        for (Index i = 0; i < query_tile(); i += lanes())
            hn::StoreU(hn::Add(hn::LoadU(D(), queries + i), term), D(), queries + i);
    }
}

// Whether keys and the vectors of distances meet different queries.
inline bool has_two_queries(const AttentionHead& head) {
    return head.relative_keys.table != nullptr &&
           (head.content_bias != nullptr || head.position_bias != nullptr);
}

// The scores of tiles of keys for the tile of queries at hand.
class Scores {
  public:
    static Index size(const AttentionHead& head) {
        return 2 * head.head_dim * query_tile() + RelativeTile::size();
    }
    Scores(const AttentionHead& head, Workspace& memory)
        : head_(head),
          queries_(memory.take(head.head_dim * query_tile())),
          placed_(has_two_queries(head) ? memory.take(head.head_dim * query_tile()) : queries_),
          relative_(head, memory.take(RelativeTile::size())) {}

    void take_queries(const QueryTile& tile) const {
        const Index width = head_.head_dim;
        const Scalar factor = head_.scale * static_cast<Scalar>(log2_e);
        queries_to_lanes(tile, head_.q + tile.begin * width, width, width, factor, queries_);
        if (placed_ != queries_) {
            std::copy_n(queries_, width * query_tile(), placed_);
            add_to_lanes(head_.position_bias, width, factor, placed_);
        }
        add_to_lanes(head_.content_bias, width, factor, queries_);
    }

    // scores [keys, query tile] where the tile has rows
    void operator()(const QueryTile& tile, Index key, Scalar* scores) const {
        multiply_rows(head_, tile, head_.k, key, queries_, scores);
        add_relative(head_.relative_keys, tile, key, placed_, scores);
        for (int s = 0; s < strips; ++s, scores += lanes()) {
            if (head_.bias != nullptr) add_bias(head_, tile.strip[s], tile.rows[s], key, scores);
            apply_mask(head_, tile.strip[s], tile.rows[s], key, scores);
        }
    }

    // scores += queries [head_dim, query tile] times the table's vectors of the pairs
    void add_relative(const RelativeTable& table, const QueryTile& tile, Index key, const Scalar* queries,
                      Scalar* scores) const {
        for_each_band_of(table, tile, key, [&](const Band& band, Index lane) {
            relative_.add_terms(table, band, queries + lane, scores + lane);
        });
    }

    // Calls body(band, first lane of its strip) where there is a table.
    template <typename Body>
    void for_each_band_of(const RelativeTable& table, const QueryTile& tile, Index key,
                          const Body& body) const {
        if (table.table == nullptr) return;
        for (int s = 0; s < strips; ++s) {
            for_each_band(head_, table, tile.strip[s], tile.rows[s], key,
                          [&](const Band& band) { body(band, s * lanes()); });
        }
    }

    const RelativeTile& relative() const { return relative_; }

  private:
    const AttentionHead& head_;
    Scalar *queries_, *placed_;  // [head_dim, query tile]
    RelativeTile relative_;
};

}  // namespace HWY_NAMESPACE
}  // namespace LOCUS_SCALAR
}  // namespace locus
HWY_AFTER_NAMESPACE();

#endif
