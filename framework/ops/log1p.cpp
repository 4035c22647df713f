#include "framework/ops/log1p.h"

#include <cmath>

namespace locus {
inline namespace LOCUS_SCALAR {

// Small tables only (heads x distances): the library's logarithm is fast enough.
Variable log1p(const Variable& x) {
    MutableTensor out = Tensor::empty(x.shape());
    for (Index i = 0; i < out.count(); ++i) out.data()[i] = std::log1p(x.value().data()[i]);
    return record(out, {x}, [x](const Tensor& cotangent, const Gradients& gradients) {
        const auto [dx, fresh] = gradients.sink(0);
        for (Index i = 0; i < dx.count(); ++i) {
            const Scalar slope = cotangent.data()[i] / (1 + x.value().data()[i]);
            dx.data()[i] = fresh ? slope : dx.data()[i] + slope;
        }
    });
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
