#include "framework/optim/adamw.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "framework/core/arena.h"
#include "framework/ops/kernels/adamw.h"
#include "framework/ops/kernels/elementwise.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

constexpr Index norm_blocks = 256;

}  // namespace

Adamw::Adamw(ParameterStore& store, const AdamwOptions& options) : store_(store), options_(options) {
    ArenaScope heap(nullptr);
    first_ = Tensor::zeros({store.flat_size()});
    second_ = Tensor::zeros({store.flat_size()});
}

void Adamw::step(Workers& workers, Index step, double lr, const Tensor& gradient, double gradient_scale) {
    const auto t = static_cast<double>(step);
    kernels::AdamwStep numbers{.lr = lr,
                               .beta1 = options_.beta1,
                               .beta2 = options_.beta2,
                               .epsilon = options_.epsilon,
                               .weight_decay = 0,
                               .correction1 = 1 - std::pow(options_.beta1, t),
                               .correction2 = 1 - std::pow(options_.beta2, t),
                               .gradient_scale = gradient_scale};
    const Index size = store_.flat_size();
    const auto update = [&](const MutableTensor& values, int worker) {
        const Index begin = size * worker / workers.count(), end = size * (worker + 1) / workers.count();
        for (const ParameterInfo& parameter : store_.parameters()) {
            const Index from = std::max(begin, parameter.offset);
            const Index to = std::min(end, parameter.offset + parameter.shape.count());
            if (from >= to) continue;
            kernels::AdamwStep own = numbers;
            own.lr = lr * parameter.lr_factor;
            own.weight_decay = parameter.decayed ? options_.weight_decay : 0;
            kernels::adamw(own, gradient.data() + from, first_.data() + from, second_.data() + from,
                           values.data() + from, to - from);
            parameter.project({values.data() + from, static_cast<std::size_t>(to - from)});
        }
    };
    store_.change(
        [&](const MutableTensor& values) { workers.run([&](int worker) { update(values, worker); }); });
}

double gradient_norm(Workers& workers, const Tensor& gradient) {
    const Index size = gradient.count();
    std::array<double, norm_blocks> sums{};
    workers.run([&](int worker) {
        for (Index block = worker; block < norm_blocks; block += workers.count()) {
            const Index begin = size * block / norm_blocks, end = size * (block + 1) / norm_blocks;
            sums[static_cast<std::size_t>(block)] =
                kernels::sum_of_squares(gradient.data() + begin, end - begin);
        }
    });
    double total = 0;
    for (double sum : sums) total += sum;
    return std::sqrt(total);
}

double clip_factor(double norm, double max) {
    return max > 0 && norm > max ? max / norm : 1;
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
