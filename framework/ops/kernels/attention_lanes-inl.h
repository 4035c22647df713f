// Rows of tokens to lanes and back, and the exponential of the softmax, for the attention kernels.
#if defined(LOCUS_ATTENTION_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_ATTENTION_LANES_INL_H
#undef LOCUS_ATTENTION_LANES_INL_H
#else
#define LOCUS_ATTENTION_LANES_INL_H
#endif

#include <algorithm>

#include "framework/ops/kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus {
inline namespace LOCUS_SCALAR {
namespace HWY_NAMESPACE {

constexpr double log2_e = 1.44269504088896340736;

// 2^x for x <= 0 (rounding may lift it a little above), and 0 where that is below 2^-64: too little to change
// a sum of probabilities, and its products would be subnormal numbers, at which many processors run a hundred
// times slower. 2^0 is 1 exactly, NaN stays NaN.
HWY_INLINE V weight(V x) {
    const D d;
    if constexpr (sizeof(Scalar) == sizeof(float)) {
        // x + shift rounds to whole numbers, whose low bits are then the exponent of a float
        const V shift = set(12582912.0 + 127.0);
        const V shifted = hn::Add(x, shift);
        const V f = hn::Sub(x, hn::Sub(shifted, shift));  // -1/2 .. 1/2
        // minimax for the relative error of 2^f with the constant term 1: 1e-7
        V power = hn::MulAdd(set(1.3264727e-3), f, set(9.671513e-3));
        power = hn::MulAdd(power, f, set(5.5507336e-2));
        power = hn::MulAdd(power, f, set(0.24022242));
        power = hn::MulAdd(power, f, set(0.69314700));
        power = hn::MulAdd(power, f, set(1.0));
        const hn::RebindToSigned<D> bits;
        const V two_to_n = hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(bits, shifted)));
        return hn::IfThenZeroElse(hn::Lt(x, set(-64.0)), hn::Mul(power, two_to_n));
    } else {
        return hn::IfThenZeroElse(hn::Lt(x, set(-64.0)), exp(hn::Mul(x, set(1 / log2_e))));
    }
}

#if HWY_TARGET != HWY_SCALAR  // which has no blocks
// Four vectors with blocks of four numbers: the numbers of every block, taken as 4 x 4, change rows for
// columns.
template <class Vf>
HWY_INLINE void transpose_blocks(Vf v[4]) {
    const hn::DFromV<Vf> d;
    const hn::Repartition<double, hn::DFromV<Vf>> pairs;
    const auto lower = [&](Vf a, Vf b) {
        return hn::BitCast(d, hn::InterleaveLower(pairs, hn::BitCast(pairs, a), hn::BitCast(pairs, b)));
    };
    const auto upper = [&](Vf a, Vf b) {
        return hn::BitCast(d, hn::InterleaveUpper(pairs, hn::BitCast(pairs, a), hn::BitCast(pairs, b)));
    };
    const Vf a = hn::InterleaveLower(d, v[0], v[1]), b = hn::InterleaveUpper(d, v[0], v[1]),
             e = hn::InterleaveLower(d, v[2], v[3]), f = hn::InterleaveUpper(d, v[2], v[3]);
    v[0] = lower(a, e);
    v[1] = upper(a, e);
    v[2] = lower(b, f);
    v[3] = upper(b, f);
}
#endif

// Columns that the functions below take by fours.
constexpr Index by_fours(Index width) {
    return HWY_TARGET != HWY_SCALAR && sizeof(Scalar) == sizeof(float) ? width / 4 * 4 : 0;
}

// to [width, one vector of lanes] = factor * the first `count` rows, transposed; zero in lanes past them.
inline void rows_to_lanes(const Scalar* rows, Index stride, Index count, Index width, Scalar factor,
                          Scalar* to, Index to_stride) {
    const D d;
    const Index n = lanes(), fast = count >= n ? by_fours(width) : 0;
#if HWY_TARGET != HWY_SCALAR
    if constexpr (sizeof(Scalar) == sizeof(float)) {
        for (Index c = 0; c < fast; c += 4) {
            V v[4];
            for (Index r = 0; r < 4; ++r) {
                v[r] = hn::LoadDup128(d, rows + r * stride + c);
                for (Index block = 4; block < n; block += 4) {  // rows r, r + 4, ... side by side
                    const V next = hn::LoadDup128(d, rows + (block + r) * stride + c);
                    v[r] = hn::IfThenElse(hn::FirstN(d, static_cast<std::size_t>(block)), v[r], next);
                }
            }
            transpose_blocks(v);
            for (Index r = 0; r < 4; ++r) hn::StoreU(hn::Mul(v[r], set(factor)), d, to + (c + r) * to_stride);
        }
    }
#endif
    for (Index c = fast; c < width; ++c) {
        for (Index i = 0; i < n; ++i) to[c * to_stride + i] = i < count ? factor * rows[i * stride + c] : 0;
    }
}

// The way back: the first `count` rows of `width` numbers = factor * from [width, one vector], transposed.
inline void lanes_to_rows(const Scalar* from, Index from_stride, V factor, Index count, Index width,
                          Scalar* rows, Index stride) {
    const D d;
    const Index n = lanes(), fast = by_fours(width);
    HWY_ALIGN Scalar buffer[HWY_MAX_BYTES / sizeof(Scalar)];
#if HWY_TARGET != HWY_SCALAR
    if constexpr (sizeof(Scalar) == sizeof(float)) {
        for (Index c = 0; c < fast; c += 4) {
            V v[4];
            for (Index r = 0; r < 4; ++r) v[r] = hn::Mul(hn::LoadU(d, from + (c + r) * from_stride), factor);
            transpose_blocks(v);
            for (Index r = 0; r < std::min<Index>(4, count); ++r) {
                hn::Store(v[r], d, buffer);
                for (Index i = r; i < std::min(n, count); i += 4)
                    std::copy_n(buffer + i / 4 * 4, 4, rows + i * stride + c);
            }
        }
    }
#endif
    for (Index c = fast; c < width; ++c) {
        hn::Store(hn::Mul(hn::LoadU(d, from + c * from_stride), factor), d, buffer);
        for (Index i = 0; i < std::min(n, count); ++i) rows[i * stride + c] = buffer[i];
    }
}

// to [count, to_stride] = factor * (rows of `width` numbers + bias [width], if there is one), zero beyond
// them.
inline void copy_rows(const Scalar* rows, Index stride, Index count, Index width, const Scalar* bias,
                      Scalar factor, Scalar* to, Index to_stride) {
    for (Index i = 0; i < count; ++i, rows += stride, to += to_stride) {
        for_each_vector(width, [&](Index c, auto at) {
            V value = at.load(rows + c);
            if (bias != nullptr) value = hn::Add(value, at.load(bias + c));
            at.store(hn::Mul(value, set(factor)), to + c);
        });
        std::fill_n(to + width, to_stride - width, Scalar{0});
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace LOCUS_SCALAR
}  // namespace locus
HWY_AFTER_NAMESPACE();

#endif
