// Loops over vectors of Scalar for the kernel files. Included once a target (see Highway's foreach_target.h).
#if defined(LOCUS_VECTORS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_VECTORS_INL_H
#undef LOCUS_VECTORS_INL_H
#else
#define LOCUS_VECTORS_INL_H
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <cmath>
#include <cstring>

#include "framework/core/scalar.h"

HWY_BEFORE_NAMESPACE();
namespace locus {
inline namespace LOCUS_SCALAR {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<Scalar>;
using V = hn::Vec<D>;

// How a loop body reads and writes: a whole vector, or the first `count` lanes of one (the others read as 0).
// Nothing outside the range is touched, because workers share the flat buffers: by masks where the processor
// has them, else through a buffer.
struct Whole {
    HWY_INLINE V load(const Scalar* from) const { return hn::LoadU(D(), from); }
    HWY_INLINE void store(V value, Scalar* to) const { hn::StoreU(value, D(), to); }
};
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
struct Tail {
    explicit Tail(Index count) : mask(hn::FirstN(D(), static_cast<std::size_t>(count))) {}
    HWY_INLINE V load(const Scalar* from) const { return hn::MaskedLoad(mask, D(), from); }
    HWY_INLINE void store(V value, Scalar* to) const { hn::BlendedStore(value, mask, D(), to); }
    hn::Mask<D> mask;
};
#else
struct Tail {
    explicit Tail(Index lanes_used) : count(lanes_used) {}
    HWY_INLINE V load(const Scalar* from) const {
        HWY_ALIGN Scalar buffer[HWY_MAX_BYTES / sizeof(Scalar)] = {};
        std::memcpy(buffer, from, static_cast<std::size_t>(count) * sizeof(Scalar));
        return hn::Load(D(), buffer);
    }
    HWY_INLINE void store(V value, Scalar* to) const {
        HWY_ALIGN Scalar buffer[HWY_MAX_BYTES / sizeof(Scalar)];
        hn::Store(value, D(), buffer);
        std::memcpy(to, buffer, static_cast<std::size_t>(count) * sizeof(Scalar));
    }
    Index count;
};
#endif

HWY_INLINE Index lanes() {
    return static_cast<Index>(hn::Lanes(D()));
}

// Calls body(i, access) for i = 0, N, 2N, ... below count.
template <typename Body>
HWY_INLINE void for_each_vector(Index count, const Body& body) {
    const Index n = lanes();
    Index i = 0;
    for (; i + n <= count; i += n) body(i, Whole{});
    if (i < count) body(i, Tail(count - i));
}

template <typename Number>
HWY_INLINE V set(Number value) {
    return hn::Set(D(), static_cast<Scalar>(value));
}
HWY_INLINE V zero() {
    return hn::Zero(D());
}
HWY_INLINE Scalar sum(V value) {
    return hn::GetLane(hn::SumOfLanes(D(), value));
}
HWY_INLINE Scalar max_lane(V value) {
    return hn::GetLane(hn::MaxOfLanes(D(), value));
}
using Single = hn::ScalableTag<float>;
using Double = hn::ScalableTag<double>;

// exp of any value, within 2 units in the last place: inf above the largest, NaN of NaN. 2^n exp(r) with
// |r| <= ln 2 / 2, a polynomial of least error in r, and n added to the exponent; 0 where the result is below
// the normal numbers.
HWY_INLINE hn::Vec<Single> exp(Single d, hn::Vec<Single> x) {
    const hn::RebindToSigned<Single> bits;
    const auto magic = hn::Set(d, 0x1.8p23F);  // adding it rounds to an integer, in the low bits of the sum
    const auto shifted = hn::MulAdd(x, hn::Set(d, 1.44269504F), magic);
    const auto n = hn::Sub(shifted, magic);
    // ln 2 in two parts, of which the first times n is exact
    auto r = hn::NegMulAdd(n, hn::Set(d, 0.693359375F), x);
    r = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4F), r);
    auto q = hn::MulAdd(r, hn::Set(d, 1.38146059e-3F), hn::Set(d, 8.36870979e-3F));
    q = hn::MulAdd(r, q, hn::Set(d, 4.16683875e-2F));
    q = hn::MulAdd(r, q, hn::Set(d, 1.66665207e-1F));
    q = hn::MulAdd(r, q, hn::Set(d, 4.99999935e-1F));
    const auto near = hn::Add(hn::MulAdd(hn::Mul(r, r), q, r), hn::Set(d, 1.0F));
    const auto power =
        hn::BitCast(d, hn::Add(hn::BitCast(bits, near), hn::ShiftLeft<23>(hn::BitCast(bits, shifted))));
    const auto large = hn::IfThenElse(hn::Gt(x, hn::Set(d, 88.7228F)), hn::Set(d, HUGE_VALF), power);
    return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -87.0F)), large);
}

// Highway's own wraps around far above the largest exponent and takes NaN for -inf.
HWY_INLINE hn::Vec<Double> exp(Double d, hn::Vec<Double> x) {
    const auto power = hn::Exp(d, hn::Min(x, hn::Set(d, 1000.0)));
    return hn::IfThenElse(hn::Eq(x, x), power, x);
}

HWY_INLINE V exp(V value) {
    return exp(D(), value);
}

// 1 / value for normal numbers whose reciprocal is one too: half as long as a division.
HWY_INLINE hn::Vec<Single> reciprocal(Single d, hn::Vec<Single> value) {
    auto guess = hn::ApproximateReciprocal(value);  // 14 bits, or 12, or 8: every step doubles them
    const auto improve = [&] {
        guess = hn::MulAdd(guess, hn::NegMulAdd(value, guess, hn::Set(d, 1.0F)), guess);
    };
    improve();
    if (HWY_TARGET != HWY_AVX3) improve();
    return guess;
}

// 1 / (1 + exp(-x)); 0 where that is below the normal numbers.
HWY_INLINE hn::Vec<Single> sigmoid(Single d, hn::Vec<Single> x) {
    const auto min = hn::Set(d, -87.0F);
    const auto below = hn::Lt(x, min);
    const auto power = exp(d, hn::Neg(hn::IfThenElse(below, min, x)));
    return hn::IfThenZeroElse(below, reciprocal(d, hn::Add(hn::Set(d, 1.0F), power)));
}

HWY_INLINE hn::Vec<Double> sigmoid(Double d, hn::Vec<Double> x) {
    const auto one = hn::Set(d, 1.0);
    return hn::Div(one, hn::Add(one, exp(d, hn::Neg(x))));
}

HWY_INLINE V sigmoid(V value) {
    return sigmoid(D(), value);
}

}  // namespace HWY_NAMESPACE
}  // namespace LOCUS_SCALAR
}  // namespace locus
HWY_AFTER_NAMESPACE();

#endif
