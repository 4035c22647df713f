#include "framework/ops/norm.h"

#include "framework/ops/kernels/norm.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

// Recorded as the op that calls.
Variable norm(const char* name, const Variable& x, const Variable& scale, const Variable& shift, bool centred,
              double epsilon, const std::source_location& by = std::source_location::current()) {
    const Index width = x.size(-1), rows = x.shape().count() / width;
    require(scale.shape() == Shape{width}, "{}: expected a scale [{}], found {}", name, width, scale.shape());
    require(!shift || shift.shape() == Shape{width}, "{}: expected a shift [{}], found {}", name, width,
            shift.shape());
    MutableTensor out = Tensor::empty(x.shape()), statistics = Tensor::empty({rows, 2});
    kernels::norm(x.value().data(), scale.value().data(), shift.value().data(), centred,
                  static_cast<Scalar>(epsilon), out.data(), statistics.data(), rows, width);
    return record(
        out, {x, scale, shift},
        [=](const Tensor& cotangent, const Gradients& gradients) {
            const auto additive = [&](std::size_t input) {  // a gradient that the kernel adds to
                if (!gradients.wanted(input)) return MutableTensor();
                const auto sink = gradients.sink(input);
                if (sink.fresh) sink.tensor.fill(0);
                return sink.tensor;
            };
            const MutableTensor dscale = additive(1), dshift = additive(2);
            const bool wanted = gradients.wanted(0);
            const auto [dx, fresh] =
                wanted ? gradients.sink(0) : Gradients::Sink{Tensor::empty(x.shape()), true};
            kernels::norm_pullback(x.value().data(), scale.value().data(), statistics.data(),
                                   cotangent.data(), centred, dx.data(), !fresh, dscale.data(), dshift.data(),
                                   rows, width);
        },
        by);
}

}  // namespace

Variable layer_norm(const Variable& x, const Variable& scale, const Variable& shift, double epsilon) {
    return norm("layer_norm", x, scale, shift, true, epsilon);
}

Variable rms_norm(const Variable& x, const Variable& scale, double epsilon) {
    return norm("rms_norm", x, scale, {}, false, epsilon);
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
