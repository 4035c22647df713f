#include "framework/ops/kernels/elementwise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "framework/ops/kernels/elementwise.cpp"
#include <hwy/foreach_target.h>

#include "framework/ops/kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus {
inline namespace LOCUS_SCALAR {
namespace HWY_NAMESPACE {

void Add(const Scalar* a, const Scalar* b, Scalar* out, Index count) {
    for_each_vector(count,
                    [&](Index i, auto at) { at.store(hn::Add(at.load(a + i), at.load(b + i)), out + i); });
}

void AccumulateRows(const Scalar* from, Index from_stride, Scalar* into, Index into_stride, Index rows,
                    Index width) {
    for (Index row = 0; row < rows; ++row, from += from_stride, into += into_stride)
        Add(from, into, into, width);
}

void CopyRows(const Scalar* from, Index from_stride, Scalar* to, Index to_stride, Index rows, Index width) {
    for (Index row = 0; row < rows; ++row, from += from_stride, to += to_stride) {
        for_each_vector(width, [&](Index i, auto at) { at.store(at.load(from + i), to + i); });
    }
}

void AccumulateProduct(const Scalar* a, const Scalar* b, Scalar* into, Index count) {
    for_each_vector(count, [&](Index i, auto at) {
        at.store(hn::MulAdd(at.load(a + i), at.load(b + i), at.load(into + i)), into + i);
    });
}

void Multiply(const Scalar* a, const Scalar* b, Scalar* out, Index count) {
    for_each_vector(count,
                    [&](Index i, auto at) { at.store(hn::Mul(at.load(a + i), at.load(b + i)), out + i); });
}

void Scale(const Scalar* from, Scalar factor, Scalar* out, Index count) {
    const V f = set(factor);
    for_each_vector(count, [&](Index i, auto at) { at.store(hn::Mul(at.load(from + i), f), out + i); });
}

void Exponential(const Scalar* x, Scalar* out, Index count) {
    for_each_vector(count, [&](Index i, auto at) { at.store(exp(at.load(x + i)), out + i); });
}

// 2 sqrt(2/pi): the tanh form of GELU is x sigmoid(2 u) with u = sqrt(2/pi) (x + 0.044715 x^3)
constexpr double gelu_slope = 1.5957691216057308;
constexpr double gelu_cubic = 0.044715;

HWY_INLINE V gelu_gate(V x, V x2) {
    return sigmoid(hn::Mul(hn::Mul(x, set(gelu_slope)), hn::MulAdd(x2, set(gelu_cubic), set(1.0))));
}

void Gelu(const Scalar* x, Scalar* out, Index count) {
    for_each_vector(count, [&](Index i, auto at) {
        const V value = at.load(x + i);
        at.store(hn::Mul(value, gelu_gate(value, hn::Mul(value, value))), out + i);
    });
}

void GeluPullback(const Scalar* x, const Scalar* cotangent, Scalar* into, bool add, Index count) {
    for_each_vector(count, [&](Index i, auto at) {
        const V value = at.load(x + i);
        const V x2 = hn::Mul(value, value);
        const V gate = gelu_gate(value, x2);
        // d(x s(z))/dx = s + x s (1 - s) dz/dx
        const V slope = hn::Mul(set(gelu_slope), hn::MulAdd(x2, set(3 * gelu_cubic), set(1.0)));
        const V inner = hn::Mul(hn::Mul(value, gate), hn::Sub(set(1.0), gate));
        V gradient = hn::Mul(at.load(cotangent + i), hn::MulAdd(inner, slope, gate));
        if (add) gradient = hn::Add(gradient, at.load(into + i));
        at.store(gradient, into + i);
    });
}

void Swiglu(const Scalar* gate, const Scalar* up, Scalar* out, Index count) {
    for_each_vector(count, [&](Index i, auto at) {
        const V g = at.load(gate + i);
        at.store(hn::Mul(hn::Mul(g, sigmoid(g)), at.load(up + i)), out + i);
    });
}

void SwigluPullback(const Scalar* gate, const Scalar* up, const Scalar* cotangent, Scalar* into_gate,
                    Scalar* into_up, Index count) {
    for_each_vector(count, [&](Index i, auto at) {
        const V g = at.load(gate + i);
        const V s = sigmoid(g);
        const V silu = hn::Mul(g, s);
        const V c = at.load(cotangent + i);
        // d silu/dg = s (1 + g (1 - s))
        const V slope = hn::Mul(s, hn::MulAdd(g, hn::Sub(set(1.0), s), set(1.0)));
        at.store(hn::Mul(hn::Mul(c, at.load(up + i)), slope), into_gate + i);
        at.store(hn::Mul(c, silu), into_up + i);
    });
}

double SumOfSquares(const Scalar* x, Index count) {
    const hn::ScalableTag<double> wide;
    const Index n = static_cast<Index>(hn::Lanes(wide));
    auto total = hn::Zero(wide);
    Index i = 0;
    for (; i + n <= count; i += n) {
        if constexpr (sizeof(Scalar) == sizeof(double)) {
            const auto value = hn::LoadU(wide, reinterpret_cast<const double*>(x + i));
            total = hn::MulAdd(value, value, total);
        } else {
            const hn::Rebind<float, decltype(wide)> narrow;
            const auto value = hn::PromoteTo(wide, hn::LoadU(narrow, reinterpret_cast<const float*>(x + i)));
            total = hn::MulAdd(value, value, total);
        }
    }
    double result = hn::GetLane(hn::SumOfLanes(wide, total));
    for (; i < count; ++i) result += static_cast<double>(x[i]) * static_cast<double>(x[i]);
    return result;
}

}  // namespace HWY_NAMESPACE
}  // namespace LOCUS_SCALAR
}  // namespace locus
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus {
inline namespace LOCUS_SCALAR {

HWY_EXPORT(Add);
HWY_EXPORT(AccumulateRows);
HWY_EXPORT(CopyRows);
HWY_EXPORT(AccumulateProduct);
HWY_EXPORT(Multiply);
HWY_EXPORT(Scale);
HWY_EXPORT(Exponential);
HWY_EXPORT(Gelu);
HWY_EXPORT(GeluPullback);
HWY_EXPORT(Swiglu);
HWY_EXPORT(SwigluPullback);
HWY_EXPORT(SumOfSquares);

namespace kernels {

void add(const Scalar* a, const Scalar* b, Scalar* out, Index count) {
    HWY_DYNAMIC_DISPATCH(Add)(a, b, out, count);
}
void accumulate(const Scalar* from, Scalar* into, Index count) {
    add(from, into, into, count);
}
void accumulate_rows(const Scalar* from, Index from_stride, Scalar* into, Index into_stride, Index rows,
                     Index width) {
    HWY_DYNAMIC_DISPATCH(AccumulateRows)(from, from_stride, into, into_stride, rows, width);
}
void copy_rows(const Scalar* from, Index from_stride, Scalar* to, Index to_stride, Index rows, Index width) {
    HWY_DYNAMIC_DISPATCH(CopyRows)(from, from_stride, to, to_stride, rows, width);
}
void accumulate_product(const Scalar* a, const Scalar* b, Scalar* into, Index count) {
    HWY_DYNAMIC_DISPATCH(AccumulateProduct)(a, b, into, count);
}
void multiply(const Scalar* a, const Scalar* b, Scalar* out, Index count) {
    HWY_DYNAMIC_DISPATCH(Multiply)(a, b, out, count);
}
void scale(const Scalar* from, Scalar factor, Scalar* out, Index count) {
    HWY_DYNAMIC_DISPATCH(Scale)(from, factor, out, count);
}
void exponential(const Scalar* x, Scalar* out, Index count) {
    HWY_DYNAMIC_DISPATCH(Exponential)(x, out, count);
}
void gelu(const Scalar* x, Scalar* out, Index count) {
    HWY_DYNAMIC_DISPATCH(Gelu)(x, out, count);
}
void gelu_pullback(const Scalar* x, const Scalar* cotangent, Scalar* into, bool add, Index count) {
    HWY_DYNAMIC_DISPATCH(GeluPullback)(x, cotangent, into, add, count);
}
void swiglu(const Scalar* gate, const Scalar* up, Scalar* out, Index count) {
    HWY_DYNAMIC_DISPATCH(Swiglu)(gate, up, out, count);
}
void swiglu_pullback(const Scalar* gate, const Scalar* up, const Scalar* cotangent, Scalar* into_gate,
                     Scalar* into_up, Index count) {
    HWY_DYNAMIC_DISPATCH(SwigluPullback)(gate, up, cotangent, into_gate, into_up, count);
}
double sum_of_squares(const Scalar* x, Index count) {
    return HWY_DYNAMIC_DISPATCH(SumOfSquares)(x, count);
}

}  // namespace kernels
}  // namespace LOCUS_SCALAR
}  // namespace locus
#endif
