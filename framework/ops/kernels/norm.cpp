#include "framework/ops/kernels/norm.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "framework/ops/kernels/norm.cpp"
#include <hwy/foreach_target.h>

#include "framework/ops/kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus {
inline namespace LOCUS_SCALAR {
namespace HWY_NAMESPACE {

HWY_INLINE Scalar row_mean(const Scalar* x, Index width) {
    V total = zero();
    for_each_vector(width, [&](Index i, auto at) { total = hn::Add(total, at.load(x + i)); });
    return sum(total) / static_cast<Scalar>(width);
}

HWY_INLINE Scalar row_deviation(const Scalar* x, Scalar mean, Index width) {  // sum of (x - mean)^2
    const Index n = lanes();
    V total = zero();
    Index i = 0;
    for (; i + n <= width; i += n) {
        const V d = hn::Sub(hn::LoadU(D(), x + i), set(mean));
        total = hn::MulAdd(d, d, total);
    }
    Scalar result = sum(total);
    for (; i < width; ++i) result += (x[i] - mean) * (x[i] - mean);
    return result;
}

void Norm(const Scalar* x, const Scalar* scale, const Scalar* shift, bool centred, Scalar epsilon, Scalar* y,
          Scalar* statistics, Index rows, Index width) {
    for (Index row = 0; row < rows; ++row, x += width, y += width) {
        const Scalar mean = centred ? row_mean(x, width) : 0;
        const Scalar variance = row_deviation(x, mean, width) / static_cast<Scalar>(width);
        const Scalar rstd = 1 / std::sqrt(variance + epsilon);
        statistics[2 * row] = mean;
        statistics[2 * row + 1] = rstd;
        const V m = set(mean), r = set(rstd);
        for_each_vector(width, [&](Index i, auto at) {
            V value = hn::Mul(hn::Mul(hn::Sub(at.load(x + i), m), r), at.load(scale + i));
            if (shift != nullptr) value = hn::Add(value, at.load(shift + i));
            at.store(value, y + i);
        });
    }
}

void NormPullback(const Scalar* x, const Scalar* scale, const Scalar* statistics, const Scalar* dy,
                  bool centred, Scalar* dx, bool add, Scalar* dscale, Scalar* dshift, Index rows,
                  Index width) {
    for (Index row = 0; row < rows; ++row, x += width, dy += width, dx += width) {
        const V mean = set(statistics[2 * row]), rstd = set(statistics[2 * row + 1]);
        V total = zero(), total_x = zero();  // sums of g and g xhat, with g = dy scale
        for_each_vector(width, [&](Index i, auto at) {
            const V dyi = at.load(dy + i);
            const V xhat = hn::Mul(hn::Sub(at.load(x + i), mean), rstd);
            const V g = hn::Mul(dyi, at.load(scale + i));  // 0 in the lanes past the end
            total = hn::Add(total, g);
            total_x = hn::MulAdd(g, xhat, total_x);
            if (dscale != nullptr) at.store(hn::MulAdd(dyi, xhat, at.load(dscale + i)), dscale + i);
            if (dshift != nullptr) at.store(hn::Add(dyi, at.load(dshift + i)), dshift + i);
        });
        const V mean_g = set(centred ? sum(total) / static_cast<Scalar>(width) : Scalar{0});
        const V mean_gx = set(sum(total_x) / static_cast<Scalar>(width));
        // dx = rstd (g - mean(g) - xhat mean(g xhat))
        for_each_vector(width, [&](Index i, auto at) {
            const V xhat = hn::Mul(hn::Sub(at.load(x + i), mean), rstd);
            const V g = hn::Mul(at.load(dy + i), at.load(scale + i));
            V value = hn::Mul(rstd, hn::NegMulAdd(xhat, mean_gx, hn::Sub(g, mean_g)));
            if (add) value = hn::Add(value, at.load(dx + i));
            at.store(value, dx + i);
        });
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace LOCUS_SCALAR
}  // namespace locus
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus {
inline namespace LOCUS_SCALAR {

HWY_EXPORT(Norm);
HWY_EXPORT(NormPullback);

namespace kernels {

void norm(const Scalar* x, const Scalar* scale, const Scalar* shift, bool centred, Scalar epsilon, Scalar* y,
          Scalar* statistics, Index rows, Index width) {
    HWY_DYNAMIC_DISPATCH(Norm)(x, scale, shift, centred, epsilon, y, statistics, rows, width);
}

void norm_pullback(const Scalar* x, const Scalar* scale, const Scalar* statistics, const Scalar* dy,
                   bool centred, Scalar* dx, bool add, Scalar* dscale, Scalar* dshift, Index rows,
                   Index width) {
    HWY_DYNAMIC_DISPATCH(NormPullback)
    (x, scale, statistics, dy, centred, dx, add, dscale, dshift, rows, width);
}

}  // namespace kernels
}  // namespace LOCUS_SCALAR
}  // namespace locus
#endif
