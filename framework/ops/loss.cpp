#include "framework/ops/loss.h"

#include <algorithm>

#include "framework/ops/kernels/elementwise.h"
#include "framework/ops/kernels/gemm.h"
#include "framework/ops/kernels/softmax.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

constexpr Index row_block = 128;  // rows of logits that are held at a time

void check(const Variable& x, const Variable& weight, std::span<const Token> targets) {
    require(weight.shape().rank() == 2 && weight.size(1) == x.size(-1),
            "cross_entropy: x is {}, weight {}: widths differ", x.shape(), weight.shape());
    require(static_cast<Index>(targets.size()) * x.size(-1) == x.shape().count(),
            "cross_entropy: {} targets for x {}", targets.size(), x.shape());
    for (Token target : targets) {
        require(target == Batch::no_target || (target >= 0 && target < weight.size(0)),
                "cross_entropy: target {} is outside the vocabulary of {}", target, weight.size(0));
    }
}

}  // namespace

CrossEntropy linear_cross_entropy(const Variable& x, const Variable& weight, std::span<const Token> targets,
                                  bool keep_nats) {
    check(x, weight, targets);
    const Index rows = static_cast<Index>(targets.size()), width = x.size(-1), vocabulary = weight.size(0);
    const bool tracked = x.tracked() || weight.tracked();
    const Precision precision = PrecisionScope::current();
    // The gradients of the sum are made here, while the logits are at hand; the pullback only scales them.
    Tensor dx = tracked ? Tensor::empty(x.shape()) : Tensor();
    Tensor dweight = tracked ? Tensor::zeros(weight.shape()) : Tensor();
    Scratch logits(std::min(rows, row_block) * vocabulary);

    CrossEntropy result;
    std::vector<double> nats(static_cast<std::size_t>(std::min(rows, row_block)));
    for (Index begin = 0; begin < rows; begin += row_block) {
        const Index count = std::min(row_block, rows - begin);
        const Scalar* block = x.value().data() + begin * width;
        kernels::gemm(Transpose::no, Transpose::yes, count, vocabulary, width, block, width,
                      weight.value().data(), width, 0, logits.data(), vocabulary, precision);
        kernels::cross_entropy(logits.data(), targets.data() + begin, nats.data(), tracked, count,
                               vocabulary);
        for (Index i = 0; i < count; ++i) result.total += nats[static_cast<std::size_t>(i)];
        if (keep_nats) result.nats.insert(result.nats.end(), nats.begin(), nats.begin() + count);
        if (!tracked) continue;
        kernels::gemm(Transpose::no, Transpose::no, count, width, vocabulary, logits.data(), vocabulary,
                      weight.value().data(), width, 0, dx.data() + begin * width, width, precision);
        kernels::gemm(Transpose::yes, Transpose::no, vocabulary, width, count, logits.data(), vocabulary,
                      block, width, 1, dweight.data(), width, precision);
    }
    result.targets =
        std::count_if(targets.begin(), targets.end(), [](Token t) { return t != Batch::no_target; });
    result.sum = record(Tensor::full({1}, static_cast<Scalar>(result.total)), {x, weight},
                        [=](const Tensor& cotangent, const Gradients& gradients) {
                            const Scalar factor = cotangent.data()[0];
                            kernels::scale(dx.data(), factor, dx.data(), dx.count());
                            kernels::scale(dweight.data(), factor, dweight.data(), dweight.count());
                            gradients.add(0, dx);
                            gradients.add(1, dweight);
                        });
    return result;
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
