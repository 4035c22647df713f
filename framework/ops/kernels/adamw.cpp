#include "framework/ops/kernels/adamw.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "framework/ops/kernels/adamw.cpp"
#include <hwy/foreach_target.h>

#include "framework/ops/kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus {
inline namespace LOCUS_SCALAR {
namespace HWY_NAMESPACE {

void Adamw(const kernels::AdamwStep& step, const Scalar* gradient, Scalar* first, Scalar* second,
           Scalar* weight, Index count) {
    const V scale = set(step.gradient_scale), keep = set(1 - step.lr * step.weight_decay);
    const V beta1 = set(step.beta1), rest1 = set(1 - step.beta1);
    const V beta2 = set(step.beta2), rest2 = set(1 - step.beta2);
    const V rate = set(step.lr / step.correction1), inverse2 = set(1 / step.correction2);
    const V epsilon = set(step.epsilon);
    for_each_vector(count, [&](Index i, auto at) {
        const V g = hn::Mul(at.load(gradient + i), scale);
        const V m = hn::MulAdd(rest1, g, hn::Mul(beta1, at.load(first + i)));
        const V v = hn::MulAdd(hn::Mul(rest2, g), g, hn::Mul(beta2, at.load(second + i)));
        at.store(m, first + i);
        at.store(v, second + i);
        const V root = hn::Add(hn::Sqrt(hn::Mul(v, inverse2)), epsilon);
        at.store(hn::Sub(hn::Mul(at.load(weight + i), keep), hn::Div(hn::Mul(rate, m), root)), weight + i);
    });
}

}  // namespace HWY_NAMESPACE
}  // namespace LOCUS_SCALAR
}  // namespace locus
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus {
inline namespace LOCUS_SCALAR {

HWY_EXPORT(Adamw);

namespace kernels {

void adamw(const AdamwStep& step, const Scalar* gradient, Scalar* first, Scalar* second, Scalar* weight,
           Index count) {
    HWY_DYNAMIC_DISPATCH(Adamw)(step, gradient, first, second, weight, count);
}

}  // namespace kernels
}  // namespace LOCUS_SCALAR
}  // namespace locus
#endif
