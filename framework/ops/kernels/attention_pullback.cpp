#include <algorithm>

#include "framework/ops/kernels/attention.h"
#include "framework/ops/kernels/elementwise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "framework/ops/kernels/attention_pullback.cpp"
#include <hwy/foreach_target.h>

#include "framework/ops/kernels/attention_scores-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus {
inline namespace LOCUS_SCALAR {
namespace HWY_NAMESPACE {

using kernels::AttentionPullback;

// mean [query tile]: dout . out of each query, which is the sum over keys of probability * dscore. Added in
// the order of the product that makes dscore, so that both cancel to zero where there is one key.
void row_means(const Scalar* outs, const Scalar* douts, Index width, Scalar* mean) {
    const Index tile = query_tile();
    for (Index i = 0; i < tile; i += lanes()) {
        V total = zero();
        for (Index c = 0; c < width; ++c) {
            total =
                hn::MulAdd(hn::LoadU(D(), outs + c * tile + i), hn::LoadU(D(), douts + c * tile + i), total);
        }
        hn::StoreU(total, D(), mean + i);
    }
}

// probabilities = 2^(scores - lse); dscores = probabilities (dscores - mean), in place, for one strip.
// alone: nothing flows to the score of a key that has the whole probability (it cancels, but rounds where
// dscores and mean are added up in different orders).
HWY_INLINE void score_gradients(KeyRows rows, const Scalar* lse, const Scalar* mean_of, bool alone,
                                Scalar* probabilities, Scalar* dscores) {
    const D d;
    const Index tile = query_tile();
    const V log_sum = hn::LoadU(d, lse), mean = hn::LoadU(d, mean_of);
    for (Index j = rows.begin; j < rows.end; ++j) {
        Scalar *p = probabilities + j * tile, *ds = dscores + j * tile;
        const V probability = weight(hn::Sub(hn::LoadU(d, p), log_sum));
        V gradient = hn::Mul(probability, hn::Sub(hn::LoadU(d, ds), mean));
        if (alone) gradient = hn::IfThenZeroElse(hn::Eq(probability, set(1.0)), gradient);
        hn::StoreU(probability, d, p);
        hn::StoreU(gradient, d, ds);
    }
}

// A gradient as rows of whole vectors: added to in place, or through a copy.
class PaddedGradient {
  public:
    // into: [count, width], or null for none
    PaddedGradient(Scalar* into, Index count, Index width)
        : into_(into),
          count_(into == nullptr ? 0 : count),
          width_(width),
          stride_(round_to_lanes(width)),
          copy_(stride_ == width ? 0 : count_ * stride_) {
        if (stride_ != width) std::fill_n(copy_.data(), count_ * stride_, Scalar{0});
    }
    Scalar* row(Index i) const { return (stride_ == width_ ? into_ : copy_.data()) + i * stride_; }
    void finish() const {
        if (stride_ != width_) kernels::accumulate_rows(copy_.data(), stride_, into_, width_, count_, width_);
    }

  private:
    Scalar* into_;
    Index count_, width_, stride_;
    Scratch copy_;
};

// Numbers of keys, values and their gradients at a time: 1 MiB of float.
constexpr Index block_numbers = 262144;

// The pullback of one head, a tile of queries at a time.
class Pullback {
  public:
    Pullback(const AttentionHead& head, const AttentionPullback& pull, Workspace memory);
    static Index size(const AttentionHead& head) {
        const Index rows = 3 * round_to_lanes(head.head_dim) + 2 * key_tile + 2;
        return Scores::size(head) + (4 * head.head_dim + rows) * query_tile();
    }
    void run();

  private:
    void take_tile();
    void add_tile(Index key, Index count);
    void add_key_gradients(Index key, Index count) const;
    void add_relative_gradients(Index key) const;
    void give_tile(bool add) const;

    const AttentionHead& head_;
    const AttentionPullback& pull_;
    Index width_, stride_;  // of a row, and rounded to whole vectors
    Scores scores_of_;
    QueryTile tile_;
    Scalar *douts_, *outs_, *dqueries_, *dplaced_;    // [width, query tile]
    Scalar *query_rows_, *placed_rows_, *dout_rows_;  // [query tile, stride]
    Scalar *scores_, *dscores_;                       // [key tile, query tile]
    Scalar *lse_, *mean_;                             // [query tile]
    PaddedGradient dk_, dv_, drelative_keys_, drelative_values_;
};

Pullback::Pullback(const AttentionHead& head, const AttentionPullback& pull, Workspace memory)
    : head_(head),
      pull_(pull),
      width_(head.head_dim),
      stride_(round_to_lanes(width_)),
      scores_of_(head, memory),
      dk_(pull.dk, head.keys, width_),
      dv_(pull.dv, head.keys, width_),
      drelative_keys_(pull.drelative_keys, head.relative_keys.count, width_),
      drelative_values_(pull.drelative_values, head.relative_values.count, width_) {
    const bool placed = has_two_queries(head);
    const auto lanes_of = [&](Index rows) { return memory.take(rows * query_tile()); };
    douts_ = lanes_of(width_);
    outs_ = lanes_of(width_);
    dqueries_ = lanes_of(width_);
    dplaced_ = placed ? lanes_of(width_) : dqueries_;
    query_rows_ = lanes_of(stride_);
    placed_rows_ = placed ? lanes_of(stride_) : query_rows_;
    dout_rows_ = lanes_of(stride_);
    scores_ = lanes_of(key_tile);
    dscores_ = lanes_of(key_tile);
    lse_ = lanes_of(1);
    mean_ = lanes_of(1);
}

void Pullback::take_tile() {
    const Index begin = tile_.begin, count = tile_.count;
    const Scalar* dout = pull_.dout + begin * pull_.stride;
    scores_of_.take_queries(tile_);
    queries_to_lanes(tile_, dout, pull_.stride, width_, 1, douts_);
    queries_to_lanes(tile_, pull_.out + begin * pull_.stride, pull_.stride, width_, 1, outs_);
    row_means(outs_, douts_, width_, mean_);
    const auto copy_queries = [&](const Scalar* bias, Scalar* to) {
        copy_rows(head_.q + begin * width_, width_, count, width_, bias, head_.scale, to, stride_);
    };
    copy_queries(head_.content_bias, query_rows_);
    if (placed_rows_ != query_rows_) copy_queries(head_.position_bias, placed_rows_);
    copy_rows(dout, pull_.stride, count, width_, nullptr, 1, dout_rows_, stride_);
    std::fill_n(dqueries_, width_ * query_tile(), Scalar{0});
    std::fill_n(dplaced_, width_ * query_tile(), Scalar{0});
    std::fill_n(std::copy_n(pull_.lse + begin, count, lse_), query_tile() - count, infinity);
}

void Pullback::add_tile(Index key, Index count) {
    scores_of_(tile_, key, scores_);
    multiply_rows(head_, tile_, head_.v, key, douts_, dscores_);
    scores_of_.add_relative(head_.relative_values, tile_, key, douts_, dscores_);
    for (int s = 0; s < strips; ++s) {
        const Index lane = s * lanes();
        score_gradients(tile_.rows[s], lse_ + lane, mean_ + lane, head_.relative_values.table != nullptr,
                        scores_ + lane, dscores_ + lane);
        if (pull_.dbias != nullptr)
            add_bias_gradient(head_, tile_.strip[s], tile_.rows[s], key, dscores_ + lane, pull_.dbias);
    }
    add_key_gradients(key, count);
    add_weighted_rows(head_, tile_, head_.k, key, dscores_, dqueries_);
    add_relative_gradients(key);
}

void Pullback::add_key_gradients(Index key, Index count) const {
    clear_unseen(tile_, count, scores_);
    clear_unseen(tile_, count, dscores_);
    const Index tile = query_tile();
    for_each_key_run(tile_, count, [&](KeyRows rows, Index lane, Index depth) {
        const Index at = rows.begin * tile + lane, row = lane * stride_;
        accumulate_product(rows.count(), stride_, depth, Left<Order::by_rows>{scores_ + at, tile},
                           dout_rows_ + row, stride_, dv_.row(key + rows.begin), stride_);
        accumulate_product(rows.count(), stride_, depth, Left<Order::by_rows>{dscores_ + at, tile},
                           query_rows_ + row, stride_, dk_.row(key + rows.begin), stride_);
    });
}

void Pullback::add_relative_gradients(Index key) const {
    const RelativeTile& relative = scores_of_.relative();
    const auto lanes_left = [&](Index lane) { return std::min(lanes(), tile_.count - lane); };
    scores_of_.for_each_band_of(head_.relative_keys, tile_, key, [&](const Band& band, Index lane) {
        relative.add_up(band, dscores_ + lane);
        relative.multiply_table(head_.relative_keys, band, dplaced_ + lane);
        if (pull_.drelative_keys == nullptr) return;
        relative.add_gradient(band, placed_rows_ + lane * stride_, lanes_left(lane), stride_,
                              drelative_keys_.row(band.first_row));
    });
    if (pull_.drelative_values == nullptr) return;
    scores_of_.for_each_band_of(head_.relative_values, tile_, key, [&](const Band& band, Index lane) {
        relative.add_up(band, scores_ + lane);
        relative.add_gradient(band, dout_rows_ + lane * stride_, lanes_left(lane), stride_,
                              drelative_values_.row(band.first_row));
    });
}

// bias [width] += factor * rows [width, query tile], all lanes added up
void add_lanes(const Scalar* rows, Index width, Scalar factor, Scalar* bias) {
    if (bias == nullptr) return;
    for (Index c = 0; c < width; ++c, rows += query_tile()) {
        V total = zero();
        for (Index i = 0; i < query_tile(); i += lanes()) total = hn::Add(total, hn::LoadU(D(), rows + i));
        bias[c] += factor * sum(total);
    }
}

// add: there are gradients of these queries from other keys already
void Pullback::give_tile(bool add) const {
    add_lanes(dqueries_, width_, head_.scale, pull_.dcontent_bias);
    if (dplaced_ != dqueries_) {
        add_lanes(dplaced_, width_, head_.scale, pull_.dposition_bias);
        for (Index i = 0; i < width_ * query_tile(); i += lanes())
            hn::StoreU(hn::Add(hn::LoadU(D(), dqueries_ + i), hn::LoadU(D(), dplaced_ + i)), D(),
                       dqueries_ + i);
    }
    Scalar* const dq = pull_.dq + tile_.begin * width_;
    Scalar* const rows = add ? query_rows_ : dq;
    const Index stride = add ? stride_ : width_;
    for (int s = 0; s < strips && tile_.strip[s].count > 0; ++s) {
        lanes_to_rows(dqueries_ + s * lanes(), query_tile(), set(head_.scale), tile_.strip[s].count, width_,
                      rows + s * lanes() * stride, stride);
    }
    if (add) kernels::accumulate_rows(rows, stride, dq, width_, tile_.count, width_);
}

// Keys are taken by blocks that stay in the second-level cache together with their gradients.
void Pullback::run() {
    const Index block = std::max(key_tile, block_numbers / (4 * stride_) / key_tile * key_tile);
    for (Index first = 0; first < head_.keys; first += block) {
        const KeyRows keys{first, std::min(first + block, head_.keys)};
        for (Index begin = 0; begin < head_.queries; begin += query_tile()) {
            place_tile(head_, begin, tile_);
            bool seen = false;
            for_each_key_tile(head_, tile_, keys, [&](Index key, Index count) {
                if (!seen) take_tile();
                seen = true;
                add_tile(key, count);
            });
            if (seen) {
                give_tile(first > 0);
            } else if (first == 0) {
                std::fill_n(pull_.dq + begin * width_, tile_.count * width_, Scalar{0});
            }
        }
    }
    for (const PaddedGradient* gradient : {&dk_, &dv_, &drelative_keys_, &drelative_values_})
        gradient->finish();
}

void AttentionPullbackHead(const AttentionHead& head, const AttentionPullback& pull) {
    const Scratch memory(Pullback::size(head));
    Pullback(head, pull, Workspace(memory.data())).run();
}

}  // namespace HWY_NAMESPACE
}  // namespace LOCUS_SCALAR
}  // namespace locus
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus {
inline namespace LOCUS_SCALAR {

HWY_EXPORT(AttentionPullbackHead);

namespace kernels {

void attention_pullback(const AttentionHead& head, const AttentionPullback& pullback) {
    HWY_DYNAMIC_DISPATCH(AttentionPullbackHead)(head, pullback);
}

}  // namespace kernels
}  // namespace LOCUS_SCALAR
}  // namespace locus
#endif
