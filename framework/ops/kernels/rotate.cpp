#include "framework/ops/kernels/rotate.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "framework/ops/kernels/rotate.cpp"
#include <hwy/foreach_target.h>

#include "framework/ops/kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus {
inline namespace LOCUS_SCALAR {
namespace HWY_NAMESPACE {

HWY_INLINE void rotate_halves(const Scalar* x, const Scalar* cos, const Scalar* sin, bool inverse,
                              Scalar* out, bool add, Index pairs) {
    for_each_vector(pairs, [&](Index i, auto at) {
        const V a = at.load(x + i), b = at.load(x + pairs + i), c = at.load(cos + i);
        const V s = inverse ? hn::Neg(at.load(sin + i)) : at.load(sin + i);
        V first = hn::NegMulAdd(b, s, hn::Mul(a, c));
        V second = hn::MulAdd(a, s, hn::Mul(b, c));
        if (add) {
            first = hn::Add(first, at.load(out + i));
            second = hn::Add(second, at.load(out + pairs + i));
        }
        at.store(first, out + i);
        at.store(second, out + pairs + i);
    });
}

HWY_INLINE void rotate_neighbours(const Scalar* x, const Scalar* cos, const Scalar* sin, bool inverse,
                                  Scalar* out, bool add, Index pairs) {
    for (Index i = 0; i < pairs; ++i) {
        const Scalar a = x[2 * i], b = x[2 * i + 1], s = inverse ? -sin[i] : sin[i];
        const Scalar first = a * cos[i] - b * s, second = a * s + b * cos[i];
        out[2 * i] = add ? out[2 * i] + first : first;
        out[2 * i + 1] = add ? out[2 * i + 1] + second : second;
    }
}

void RotateRows(const kernels::RowRotation& rotation, const Scalar* x, const Scalar* cos, const Scalar* sin,
                Scalar* out, bool add, Index rows) {
    const auto [pairs, width, interleaved, inverse] = rotation;
    for (Index row = 0; row < rows; ++row) {
        if (interleaved) {
            rotate_neighbours(x, cos, sin, inverse, out, add, pairs);
        } else {
            rotate_halves(x, cos, sin, inverse, out, add, pairs);
        }
        for (Index i = 2 * pairs; i < width; ++i) out[i] = add ? out[i] + x[i] : x[i];
        x += width;
        out += width;
        cos += pairs;
        sin += pairs;
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace LOCUS_SCALAR
}  // namespace locus
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus {
inline namespace LOCUS_SCALAR {

HWY_EXPORT(RotateRows);

namespace kernels {

void rotate_rows(const RowRotation& rotation, const Scalar* x, const Scalar* cos, const Scalar* sin,
                 Scalar* out, bool add, Index rows) {
    HWY_DYNAMIC_DISPATCH(RotateRows)(rotation, x, cos, sin, out, add, rows);
}

}  // namespace kernels
}  // namespace LOCUS_SCALAR
}  // namespace locus
#endif
