#include "framework/ops/kernels/attention.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "framework/ops/kernels/attention.cpp"
#include <hwy/foreach_target.h>

#include "framework/ops/kernels/attention_tiles-inl.h"
#include "framework/ops/kernels/micro_gemm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::inline LOCUS_SCALAR {
namespace HWY_NAMESPACE {

using kernels::AttentionPullback;

// Rows of `width` numbers as rows of whole vectors; the same memory where they are whole already.
class PaddedRows {
  public:
    PaddedRows(const Scalar* rows, Index count, Index width)
        : stride_(round_to_lanes(width)), copy_(stride_ == width ? 0 : count * stride_), data_(rows) {
        if (stride_ == width) return;
        for (Index i = 0; i < count; ++i) {
            std::copy_n(rows + i * width, width, copy_.data() + i * stride_);
            std::fill_n(copy_.data() + i * stride_ + width, stride_ - width, Scalar{0});
        }
        data_ = copy_.data();
    }
    const Scalar* row(Index i) const { return data_ + i * stride_; }
    Index stride() const { return stride_; }

  private:
    Index stride_;
    Scratch copy_;
    const Scalar* data_;
};

// out [width, query tile] = factor * rows of the tile, transposed; zero in the lanes past the last query.
void transpose(const Scalar* rows, Index stride, Index count, Index width, Scalar factor, Scalar* out) {
    const Index tile = query_tile();
    if (count < tile) std::fill_n(out, width * tile, Scalar{0});
    for (Index i = 0; i < count; ++i) {
        for (Index c = 0; c < width; ++c) out[c * tile + i] = factor * rows[i * stride + c];
    }
}

// scores [count, query tile]: scaled products, bias and mask of a tile of keys.
void score_tile(const AttentionHead& head, const QueryTile& tile, const Scalar* queries, Index key,
                Index count, bool partial, Scalar* scores) {
    product<false>(count, query_tile(), head.head_dim, {head.k + key * head.head_dim, head.head_dim, 1},
                   queries, query_tile(), scores, query_tile());
    if (head.bias != nullptr) add_bias(head, tile, key, count, scores);
    if (partial) apply_mask(head, tile, key, count, scores);
}

// exp(value), and 0 where that is below 2^-64: too little to change a sum of probabilities, and its products
// would be subnormal numbers, at which many processors run a hundred times slower. NaN stays NaN.
HWY_INLINE V weight(V value) {
    const V power = exp(value);
    return hn::IfThenZeroElse(hn::Lt(power, set(0x1p-64)), power);
}

// Per-lane state of the online softmax.
struct Running {
    V most[strips], total[strips];
};

// Turns scores into exp(score - maximum so far); `shrink` is what earlier sums are multiplied by.
void exponentiate(Index count, Scalar* scores, Running& running, Scalar* shrink) {
    const D d;
    const Index n = lanes(), tile = query_tile();
    for (int s = 0; s < strips; ++s) {
        Scalar* column = scores + s * n;
        V most = running.most[s];
        for (Index j = 0; j < count; ++j) most = hn::Max(most, hn::LoadU(d, column + j * tile));
        // a lane that has seen nothing yet keeps -inf; subtracting 0 then gives exp(-inf) = 0
        const V finite = hn::IfThenElse(hn::Eq(most, hn::Set(d, -infinity)), zero(), most);
        const V factor = weight(hn::Sub(running.most[s], finite));
        V total = hn::Mul(running.total[s], factor);
        for (Index j = 0; j < count; ++j) {
            const V e = weight(hn::Sub(hn::LoadU(d, column + j * tile), finite));
            hn::StoreU(e, d, column + j * tile);
            total = hn::Add(total, e);
        }
        running.most[s] = most;
        running.total[s] = total;
        hn::StoreU(factor, d, shrink + s * n);
    }
}

void shrink_rows(const Scalar* shrink, Index rows, Index stride, Scalar* sums) {
    for (Index i = 0; i < rows; ++i) {
        if (shrink[i] == 1) continue;
        const V factor = set(shrink[i]);
        for (Index c = 0; c < stride; c += lanes()) {
            Scalar* at = sums + i * stride + c;
            hn::StoreU(hn::Mul(hn::LoadU(D(), at), factor), D(), at);
        }
    }
}

void AttentionForward(const AttentionHead& head, Scalar* out, Index out_stride, Scalar* lse) {
    const D d;
    const Index tile_queries = query_tile(), width = head.head_dim;
    const PaddedRows values(head.v, head.keys, width);
    const Index stride = values.stride();
    Scratch queries(width * tile_queries), scores(key_tile * tile_queries), sums(tile_queries * stride);
    Scratch row(3 * tile_queries);
    Scalar *shrink = row.data(), *most = shrink + tile_queries, *total = most + tile_queries;

    for (Index begin = 0; begin < head.queries; begin += tile_queries) {
        const QueryTile tile = query_tile_at(head, begin);
        transpose(head.q + begin * width, width, tile.count, width, head.scale, queries.data());
        std::fill_n(sums.data(), tile_queries * stride, Scalar{0});
        Running running;
        std::fill_n(running.most, strips, hn::Set(d, -infinity));
        std::fill_n(running.total, strips, zero());

        for_each_key_tile(head, tile, [&](Index key, Index count, bool partial) {
            score_tile(head, tile, queries.data(), key, count, partial, scores.data());
            exponentiate(count, scores.data(), running, shrink);
            shrink_rows(shrink, tile.count, stride, sums.data());
            product<true>(tile.count, stride, count, {scores.data(), 1, tile_queries}, values.row(key),
                          stride, sums.data(), stride);
        });

        for (int s = 0; s < strips; ++s) {
            hn::StoreU(running.most[s], d, most + s * lanes());
            hn::StoreU(running.total[s], d, total + s * lanes());
        }
        for (Index i = 0; i < tile.count; ++i) {
            const bool seen = total[i] != 0;  // a NaN is passed on
            lse[begin + i] = seen ? most[i] + std::log(total[i]) : infinity;
            const Scalar factor = seen ? 1 / total[i] : 0;
            for (Index c = 0; c < width; ++c)
                out[(begin + i) * out_stride + c] = factor * sums.data()[i * stride + c];
        }
    }
}

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

// probabilities = exp(scores - lse); dscores = probabilities (dscores - row), in place.
void score_gradients(Index count, const Scalar* lse, const Scalar* row, Scalar* probabilities,
                     Scalar* dscores) {
    const D d;
    const Index tile = query_tile();
    for (int s = 0; s < strips; ++s) {
        const V log_sum = hn::LoadU(d, lse + s * lanes()), mean = hn::LoadU(d, row + s * lanes());
        for (Index j = 0; j < count; ++j) {
            Scalar* p = probabilities + j * tile + s * lanes();
            Scalar* ds = dscores + j * tile + s * lanes();
            const V probability = weight(hn::Sub(hn::LoadU(d, p), log_sum));
            hn::StoreU(probability, d, p);
            hn::StoreU(hn::Mul(probability, hn::Sub(hn::LoadU(d, ds), mean)), d, ds);
        }
    }
}

// Adds the first `width` of every `stride` numbers to rows of `width`.
void add_rows(const Scalar* from, Index stride, Index count, Index width, Scalar* into) {
    for (Index i = 0; i < count; ++i) {
        for (Index c = 0; c < width; ++c) into[i * width + c] += from[i * stride + c];
    }
}

void AttentionPullbackHead(const AttentionHead& head, const AttentionPullback& pull) {
    const Index tile_queries = query_tile(), width = head.head_dim;
    const PaddedRows keys(head.k, head.keys, width);
    const Index stride = keys.stride();
    const bool whole = stride == width;  // then dk and dv are added to in place
    Scratch queries(width * tile_queries), douts(width * tile_queries), outs(width * tile_queries);
    Scratch query_rows(tile_queries * stride), dout_rows(tile_queries * stride);
    Scratch scores(key_tile * tile_queries), dscores(key_tile * tile_queries), dquery(tile_queries * stride);
    Scratch row(2 * tile_queries), dkeys(whole ? 0 : head.keys * stride),
        dvalues(whole ? 0 : head.keys * stride);
    Scalar *lse = row.data(), *mean = lse + tile_queries;
    Scalar* dk = whole ? pull.dk : dkeys.data();
    Scalar* dv = whole ? pull.dv : dvalues.data();
    if (!whole) {
        std::fill_n(dk, head.keys * stride, Scalar{0});
        std::fill_n(dv, head.keys * stride, Scalar{0});
    }

    for (Index begin = 0; begin < head.queries; begin += tile_queries) {
        const QueryTile tile = query_tile_at(head, begin);
        const Scalar* dout = pull.dout + begin * pull.stride;
        transpose(head.q + begin * width, width, tile.count, width, head.scale, queries.data());
        transpose(dout, pull.stride, tile.count, width, 1, douts.data());
        transpose(pull.out + begin * pull.stride, pull.stride, tile.count, width, 1, outs.data());
        row_means(outs.data(), douts.data(), width, mean);
        std::fill_n(query_rows.data(), tile_queries * stride, Scalar{0});
        std::fill_n(dout_rows.data(), tile_queries * stride, Scalar{0});
        std::fill_n(dquery.data(), tile_queries * stride, Scalar{0});
        for (Index i = 0; i < tile_queries; ++i) {
            lse[i] = i < tile.count ? pull.lse[begin + i] : infinity;
            for (Index c = 0; c < width && i < tile.count; ++c) {
                query_rows.data()[i * stride + c] = head.scale * head.q[(begin + i) * width + c];
                dout_rows.data()[i * stride + c] = dout[i * pull.stride + c];
            }
        }

        for_each_key_tile(head, tile, [&](Index key, Index count, bool partial) {
            score_tile(head, tile, queries.data(), key, count, partial, scores.data());
            product<false>(count, tile_queries, width, {head.v + key * width, width, 1}, douts.data(),
                           tile_queries, dscores.data(), tile_queries);
            score_gradients(count, lse, mean, scores.data(), dscores.data());
            if (pull.dbias != nullptr) add_bias_gradient(head, tile, key, count, dscores.data(), pull.dbias);
            product<true>(count, stride, tile.count, {scores.data(), tile_queries, 1}, dout_rows.data(),
                          stride, dv + key * stride, stride);
            product<true>(count, stride, tile.count, {dscores.data(), tile_queries, 1}, query_rows.data(),
                          stride, dk + key * stride, stride);
            product<true>(tile.count, stride, count, {dscores.data(), 1, tile_queries}, keys.row(key), stride,
                          dquery.data(), stride);
        });

        for (Index i = 0; i < tile.count; ++i) {
            for (Index c = 0; c < width; ++c) {
                pull.dq[(begin + i) * width + c] = head.scale * dquery.data()[i * stride + c];
            }
        }
    }
    if (!whole) {
        add_rows(dk, stride, head.keys, width, pull.dk);
        add_rows(dv, stride, head.keys, width, pull.dv);
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace locus::inline LOCUS_SCALAR
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus::inline LOCUS_SCALAR {

HWY_EXPORT(AttentionForward);
HWY_EXPORT(AttentionPullbackHead);

namespace kernels {

void attention_forward(const AttentionHead& head, Scalar* out, Index out_stride, Scalar* lse) {
    HWY_DYNAMIC_DISPATCH(AttentionForward)(head, out, out_stride, lse);
}

void attention_pullback(const AttentionHead& head, const AttentionPullback& pullback) {
    HWY_DYNAMIC_DISPATCH(AttentionPullbackHead)(head, pullback);
}

}  // namespace kernels
}  // namespace locus::inline LOCUS_SCALAR
#endif
