#include "framework/ops/loss.h"

#include <algorithm>

#include "framework/ops/kernels/elementwise.h"
#include "framework/ops/kernels/gemm.h"
#include "framework/ops/kernels/softmax.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

constexpr Index row_block = 128;  // rows of logits that are held at a time

void check(const Variable& x, const Variable& weight, const Targets& targets) {
    require(weight.shape().rank() == 2 && weight.size(1) == x.size(-1),
            "cross_entropy: x is {}, weight {}: widths differ", x.shape(), weight.shape());
    require(static_cast<Index>(targets.tokens.size()) * x.size(-1) == x.shape().count(),
            "cross_entropy: {} targets for x {}", targets.tokens.size(), x.shape());
    require(targets.weights.empty() || targets.weights.size() == targets.tokens.size(),
            "cross_entropy: {} weights for {} targets", targets.weights.size(), targets.tokens.size());
    for (Token target : targets.tokens) {
        require(target == no_target || (target >= 0 && target < weight.size(0)),
                "cross_entropy: target {} is outside the vocabulary of {}", target, weight.size(0));
    }
}

double weight_at(const Targets& targets, Index i) {
    return targets.weights.empty() ? 1 : static_cast<double>(targets.weights[static_cast<std::size_t>(i)]);
}

}  // namespace

Loss linear_cross_entropy(const Variable& x, const Variable& weight, const Targets& targets, bool keep_each) {
    check(x, weight, targets);
    const Index rows = static_cast<Index>(targets.tokens.size()), width = x.size(-1),
                vocabulary = weight.size(0);
    const bool tracked = x.tracked() || weight.tracked();
    const Products products = ProductScope::current();
    // The gradients of the sum are made here, while the logits are at hand; the pullback only scales them.
    MutableTensor dx = tracked ? Tensor::empty(x.shape()) : MutableTensor();
    MutableTensor dweight = tracked ? Tensor::zeros(weight.shape()) : MutableTensor();
    Scratch logits(std::min(rows, row_block) * vocabulary);

    Loss result;
    std::vector<double> nats(static_cast<std::size_t>(std::min(rows, row_block)));
    for (Index begin = 0; begin < rows; begin += row_block) {
        const Index count = std::min(row_block, rows - begin);
        const Scalar* block = x.value().data() + begin * width;
        kernels::gemm(Transpose::no, Transpose::yes, count, vocabulary, width, block, width,
                      weight.value().data(), width, 0, logits.data(), vocabulary, products);
        kernels::cross_entropy(logits.data(), targets.tokens.data() + begin, nats.data(), tracked, count,
                               vocabulary);
        if (keep_each) result.each.insert(result.each.end(), nats.begin(), nats.begin() + count);
        for (Index i = 0; i < count; ++i) {
            const double factor = weight_at(targets, begin + i);
            result.total += factor * nats[static_cast<std::size_t>(i)];
            if (targets.tokens[static_cast<std::size_t>(begin + i)] != no_target) result.weight += factor;
            Scalar* row = logits.data() + i * vocabulary;
            if (tracked && factor != 1) kernels::scale(row, static_cast<Scalar>(factor), row, vocabulary);
        }
        if (!tracked) continue;
        kernels::gemm(Transpose::no, Transpose::no, count, width, vocabulary, logits.data(), vocabulary,
                      weight.value().data(), width, 0, dx.data() + begin * width, width, products);
        kernels::gemm(Transpose::yes, Transpose::no, vocabulary, width, count, logits.data(), vocabulary,
                      block, width, 1, dweight.data(), width, products);
    }
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
