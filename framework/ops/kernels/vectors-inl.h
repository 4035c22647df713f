// Loops over vectors of Scalar for the kernel files. Included once a target (see Highway's foreach_target.h).
#if defined(LOCUS_VECTORS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_VECTORS_INL_H
#undef LOCUS_VECTORS_INL_H
#else
#define LOCUS_VECTORS_INL_H
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <cstring>

#include "framework/core/scalar.h"

HWY_BEFORE_NAMESPACE();
namespace locus::inline LOCUS_SCALAR {
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
HWY_INLINE Scalar greatest(V value) {
    return hn::GetLane(hn::MaxOfLanes(D(), value));
}
// Highway's polynomial wraps around far above the largest exponent and takes NaN for -inf; here they give inf
// and NaN.
HWY_INLINE V exp(V value) {
    constexpr double overflow = sizeof(Scalar) == sizeof(float) ? 150 : 1000;
    const V power = hn::Exp(D(), hn::Min(value, set(overflow)));
    return hn::IfThenElse(hn::Eq(value, value), power, value);
}
HWY_INLINE V sigmoid(V value) {
    return hn::Div(set(1.0), hn::Add(set(1.0), exp(hn::Neg(value))));
}

}  // namespace HWY_NAMESPACE
}  // namespace locus::inline LOCUS_SCALAR
HWY_AFTER_NAMESPACE();

#endif
