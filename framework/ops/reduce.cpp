#include "framework/ops/reduce.h"

#include <numeric>

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

// [rows, width] to `shape` of `rows` elements; recorded as the op that calls.
Variable sum_rows(const Variable& x, Index rows, const Shape& shape,
                  const std::source_location& by = std::source_location::current()) {
    const Index width = x.shape().count() / rows;
    MutableTensor out = Tensor::empty(shape);
    for (Index row = 0; row < rows; ++row) {
        const Scalar* from = x.value().data() + row * width;
        out.data()[row] = static_cast<Scalar>(std::accumulate(from, from + width, 0.0));
    }
    return record(
        out, {x},
        [=, of = x.shape()](const Tensor& cotangent, const Gradients& gradients) {
            MutableTensor dx = Tensor::empty(of);
            for (Index row = 0; row < rows; ++row)
                std::fill_n(dx.data() + row * width, width, cotangent.data()[row]);
            gradients.add(0, dx);
        },
        by);
}

}  // namespace

Variable sum_last(const Variable& x) {
    const auto sizes = x.shape().sizes();
    require(!sizes.empty(), "sum: a tensor without axes");
    const Shape shape = sizes.size() == 1 ? Shape{1} : Shape(sizes.first(sizes.size() - 1));
    return sum_rows(x, shape.count(), shape);
}

Variable sum_all(const Variable& x) {
    return sum_rows(x, 1, {1});
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
