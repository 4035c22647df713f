#include "framework/ops/kernels/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "framework/ops/kernels/softmax.cpp"
#include <hwy/foreach_target.h>

#include "framework/ops/kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus {
inline namespace LOCUS_SCALAR {
namespace HWY_NAMESPACE {

HWY_INLINE Scalar row_maximum(const Scalar* x, Index width) {
    const Index n = lanes();
    Scalar result = -std::numeric_limits<Scalar>::infinity();
    Index i = 0;
    if (width >= n) {
        V max = hn::LoadU(D(), x);
        for (i = n; i + n <= width; i += n) max = hn::Max(max, hn::LoadU(D(), x + i));
        result = max_lane(max);
    }
    for (; i < width; ++i) result = std::max(result, x[i]);
    return result;
}

// out = exp(x - max); returns the sum.
HWY_INLINE Scalar exponentials(const Scalar* x, Scalar max, Scalar* out, Index width) {
    const Index n = lanes();
    V total = zero();
    Index i = 0;
    for (; i + n <= width; i += n) {
        const V e = exp(hn::Sub(hn::LoadU(D(), x + i), set(max)));
        hn::StoreU(e, D(), out + i);
        total = hn::Add(total, e);
    }
    Scalar result = sum(total);
    for (; i < width; ++i) result += out[i] = std::exp(x[i] - max);
    return result;
}

HWY_INLINE void scale_row(Scalar* x, Scalar factor, Index width) {
    for_each_vector(width, [&](Index i, auto at) { at.store(hn::Mul(at.load(x + i), set(factor)), x + i); });
}

void Softmax(const Scalar* x, Scalar* out, Index rows, Index width) {
    for (Index row = 0; row < rows; ++row, x += width, out += width) {
        const Scalar max = row_maximum(x, width);
        const bool hidden = max == -std::numeric_limits<Scalar>::infinity();  // or NaN among -inf
        const Scalar total = exponentials(x, hidden ? 0 : max, out, width);
        scale_row(out, total == 0 ? 0 : 1 / total, width);
    }
}

void SoftmaxPullback(const Scalar* y, const Scalar* dy, Scalar* dx, bool add, Index rows, Index width) {
    for (Index row = 0; row < rows; ++row, y += width, dy += width, dx += width) {
        V total = zero();
        for_each_vector(
            width, [&](Index i, auto at) { total = hn::MulAdd(at.load(y + i), at.load(dy + i), total); });
        const V mean = set(sum(total));
        for_each_vector(width, [&](Index i, auto at) {
            V value = hn::Mul(at.load(y + i), hn::Sub(at.load(dy + i), mean));
            if (add) value = hn::Add(value, at.load(dx + i));
            at.store(value, dx + i);
        });
    }
}

void CrossEntropy(Scalar* logits, const Token* targets, double* nats, bool gradient, Index rows,
                  Index width) {
    for (Index row = 0; row < rows; ++row, logits += width) {
        nats[row] = 0;
        if (targets[row] == no_target) {
            if (gradient) std::fill_n(logits, width, Scalar{0});
            continue;
        }
        const Scalar wanted = logits[targets[row]];
        const Scalar max = row_maximum(logits, width);
        const Scalar total = exponentials(logits, max, logits, width);
        nats[row] =
            std::log(static_cast<double>(total)) + static_cast<double>(max) - static_cast<double>(wanted);
        if (gradient) {
            scale_row(logits, 1 / total, width);
            logits[targets[row]] -= 1;
        }
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace LOCUS_SCALAR
}  // namespace locus
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus {
inline namespace LOCUS_SCALAR {

HWY_EXPORT(Softmax);
HWY_EXPORT(SoftmaxPullback);
HWY_EXPORT(CrossEntropy);

namespace kernels {

void softmax(const Scalar* x, Scalar* out, Index rows, Index width) {
    HWY_DYNAMIC_DISPATCH(Softmax)(x, out, rows, width);
}

void softmax_pullback(const Scalar* y, const Scalar* dy, Scalar* dx, bool add, Index rows, Index width) {
    HWY_DYNAMIC_DISPATCH(SoftmaxPullback)(y, dy, dx, add, rows, width);
}

void cross_entropy(Scalar* logits, const Token* targets, double* nats, bool gradient, Index rows,
                   Index width) {
    HWY_DYNAMIC_DISPATCH(CrossEntropy)(logits, targets, nats, gradient, rows, width);
}

}  // namespace kernels
}  // namespace LOCUS_SCALAR
}  // namespace locus
#endif
