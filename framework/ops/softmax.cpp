#include "framework/ops/softmax.h"

#include "framework/ops/kernels/softmax.h"

namespace locus {
inline namespace LOCUS_SCALAR {

Variable softmax(const Variable& x) {
    const Index width = x.size(-1), rows = x.shape().count() / width;
    MutableTensor out = Tensor::empty(x.shape());
    kernels::softmax(x.value().data(), out.data(), rows, width);
    return record(out, {x}, [=](const Tensor& cotangent, const Gradients& gradients) {
        const auto [dx, fresh] = gradients.sink(0);
        kernels::softmax_pullback(out.data(), cotangent.data(), dx.data(), !fresh, rows, width);
    });
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
