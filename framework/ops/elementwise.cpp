#include "framework/ops/elementwise.h"

#include <algorithm>
#include <cmath>

#include "framework/core/random.h"
#include "framework/ops/kernels/elementwise.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

// Calls body(a, b, out, count) for runs over which `out` is contiguous and each input either contiguous (step
// 1) or one repeated number (step 0).
struct Run {
    Index a, b, out, count;
    bool a_repeats, b_repeats;
};

template <typename Body>
void for_each_run(const Shape& a, const Shape& b, const Shape& out, const Body& body) {
    if (a == b) return body(Run{0, 0, 0, out.count(), false, false});
    const int rank = out.rank();
    std::array<Index, Shape::max_rank> a_stride{}, b_stride{}, place{};
    const auto set_strides = [&](const Shape& shape, auto& strides) {
        Index step = 1;
        for (int axis = 1; axis <= shape.rank(); ++axis) {
            strides[static_cast<std::size_t>(rank - axis)] = shape[-axis] == 1 ? 0 : step;
            step *= shape[-axis];
        }
    };
    set_strides(a, a_stride);
    set_strides(b, b_stride);
    const auto last = static_cast<std::size_t>(rank - 1);
    const Index width = rank == 0 ? 1 : out[-1];
    Run run{0, 0, 0, width, rank > 0 && a_stride[last] == 0, rank > 0 && b_stride[last] == 0};
    for (Index total = out.count(); run.out < total; run.out += width) {
        body(run);
        for (int axis = rank - 2; axis >= 0; --axis) {
            const auto x = static_cast<std::size_t>(axis);
            run.a += a_stride[x];
            run.b += b_stride[x];
            if (++place[x] < out[axis]) break;
            run.a -= a_stride[x] * place[x];
            run.b -= b_stride[x] * place[x];
            place[x] = 0;
        }
    }
}

MutableTensor product(const Tensor& a, const Tensor& b) {
    MutableTensor out = Tensor::empty(broadcast(a.shape(), b.shape()));
    for_each_run(a.shape(), b.shape(), out.shape(), [&](const Run& run) {
        const Scalar *left = a.data() + run.a, *right = b.data() + run.b;
        Scalar* to = out.data() + run.out;
        if (!run.a_repeats && !run.b_repeats) return kernels::multiply(left, right, to, run.count);
        for (Index i = 0; i < run.count; ++i)
            to[i] = left[run.a_repeats ? 0 : i] * right[run.b_repeats ? 0 : i];
    });
    return out;
}

}  // namespace

Variable add(const Variable& a, const Variable& b) {
    MutableTensor out = Tensor::empty(broadcast(a.shape(), b.shape()));
    for_each_run(a.shape(), b.shape(), out.shape(), [&](const Run& run) {
        const Scalar *left = a.value().data() + run.a, *right = b.value().data() + run.b;
        Scalar* to = out.data() + run.out;
        if (!run.a_repeats && !run.b_repeats) return kernels::add(left, right, to, run.count);
        for (Index i = 0; i < run.count; ++i)
            to[i] = left[run.a_repeats ? 0 : i] + right[run.b_repeats ? 0 : i];
    });
    return record(out, {a, b}, [](const Tensor& cotangent, const Gradients& gradients) {
        if (gradients.wanted(0)) gradients.add(0, cotangent.clone());
        gradients.pass(1);
    });
}

Variable multiply(const Variable& a, const Variable& b) {
    return record(product(a.value(), b.value()), {a, b},
                  [a, b](const Tensor& cotangent, const Gradients& gradients) {
                      if (gradients.wanted(0)) gradients.add(0, product(cotangent, b.value()));
                      if (gradients.wanted(1)) gradients.add(1, product(cotangent, a.value()));
                  });
}

Variable scale(const Variable& x, Scalar factor) {
    MutableTensor out = Tensor::empty(x.shape());
    kernels::scale(x.value().data(), factor, out.data(), out.count());
    return record(out, {x}, [factor](const MutableTensor& cotangent, const Gradients& gradients) {
        kernels::scale(cotangent.data(), factor, cotangent.data(), cotangent.count());
        gradients.pass(0);
    });
}

Variable exponential(const Variable& x) {
    MutableTensor out = Tensor::empty(x.shape());
    kernels::exponential(x.value().data(), out.data(), out.count());
    return record(out, {x}, [out](const Tensor& cotangent, const Gradients& gradients) {
        gradients.add(0, product(cotangent, out));
    });
}

namespace {

// y = f(x) element by element, with the derivative slope(x, y); recorded as the op that calls.
template <typename F, typename Slope>
Variable mapped(const Variable& x, const F& f, const Slope& slope,
                const std::source_location& by = std::source_location::current()) {
    MutableTensor out = Tensor::empty(x.shape());
    for (Index i = 0; i < out.count(); ++i) out.data()[i] = f(x.value().data()[i]);
    const auto pullback = [x, out, slope](const MutableTensor& cotangent, const Gradients& gradients) {
        for (Index i = 0; i < out.count(); ++i) {
            cotangent.data()[i] *= slope(x.value().data()[i], out.data()[i]);
        }
        gradients.pass(0);
    };
    return record(out, {x}, pullback, by);
}

}  // namespace

Variable logarithm(const Variable& x) {
    return mapped(
        x, [](Scalar v) { return std::log(v); }, [](Scalar v, Scalar) { return 1 / v; });
}

Variable reciprocal(const Variable& x) {
    return mapped(
        x, [](Scalar v) { return 1 / v; }, [](Scalar, Scalar y) { return -y * y; });
}

Variable relu(const Variable& x) {
    return mapped(
        x, [](Scalar v) { return std::max(v, Scalar{0}); },
        [](Scalar v, Scalar) { return static_cast<Scalar>(v > 0); });
}

Variable gelu(const Variable& x) {
    MutableTensor out = Tensor::empty(x.shape());
    kernels::gelu(x.value().data(), out.data(), out.count());
    return record(out, {x}, [x](const Tensor& cotangent, const Gradients& gradients) {
        const auto [dx, fresh] = gradients.sink(0);
        kernels::gelu_pullback(x.value().data(), cotangent.data(), dx.data(), !fresh, dx.count());
    });
}

Variable swiglu(const Variable& gate, const Variable& up) {
    require(gate.shape() == up.shape(), "swiglu: gate {} and up {} differ", gate.shape(), up.shape());
    MutableTensor out = Tensor::empty(gate.shape());
    kernels::swiglu(gate.value().data(), up.value().data(), out.data(), out.count());
    return record(out, {gate, up}, [gate, up](const Tensor& cotangent, const Gradients& gradients) {
        MutableTensor dgate = Tensor::empty(gate.shape()), dup = Tensor::empty(up.shape());
        kernels::swiglu_pullback(gate.value().data(), up.value().data(), cotangent.data(), dgate.data(),
                                 dup.data(), dgate.count());
        gradients.add(0, dgate);
        gradients.add(1, dup);
    });
}

Variable dropout(const Variable& x, double rate, const DropoutKey& key) {
    require(rate >= 0 && rate < 1, "dropout: expected a rate in [0, 1), found {}", rate);
    if (rate == 0) return x;
    MutableTensor kept = Tensor::empty(x.shape());
    const auto limit = static_cast<std::uint32_t>(rate * 0x1p32);
    const auto factor = static_cast<Scalar>(1 / (1 - rate));
    const Index rows = x.size(0), width = x.shape().count() / rows;
    for (Index b = 0; b < rows; ++b) {
        RandomStream stream(key.seed, Purpose::dropout,
                            {key.step, key.sample + static_cast<std::uint64_t>(b), key.layer});
        for (Index i = 0; i < width; ++i) kept.data()[b * width + i] = stream.bits() < limit ? 0 : factor;
    }
    return multiply(x, Variable(kept));
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
