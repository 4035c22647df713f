// Gradients of an op by its pullback against central differences.
#pragma once

#include <functional>
#include <limits>
#include <span>

#include "framework/autodiff/variable.h"
#include "framework/core/arena.h"
#include "framework/ops/elementwise.h"
#include "tests/support/tensors.h"

namespace locus {
inline namespace LOCUS_SCALAR {

using Inputs = std::span<const Variable>;
using Op = std::function<Variable(Inputs)>;

/// How far a gradient may be off. Float is only asked for the right order: it has no digits to spare.
struct GradientLimits {
    double step, relative, floor;  // floor: of the largest entry; below it an entry's own size does not count
};
inline constexpr GradientLimits gradient_limits =
    is_double ? GradientLimits{2e-4, 1e-6, 1e-3} : GradientLimits{1e-2, 2e-2, 1};

/// sum(tensor * cotangent), in double.
inline double dot(const Tensor& tensor, const Tensor& cotangent) {
    double sum = 0;
    for (Index i = 0; i < tensor.count(); ++i) {
        sum += static_cast<double>(tensor.data()[i]) * static_cast<double>(cotangent.data()[i]);
    }
    return sum;
}

/// d f / d value by differences at four points, exact up to the fourth power of the step.
inline double difference_of(Scalar& value, double step_size, const std::function<double()>& f) {
    const Scalar middle = value;
    const auto step = static_cast<Scalar>(step_size);
    const auto at = [&](int steps) {
        value = middle + static_cast<Scalar>(steps) * step;
        return f();
    };
    const double difference = 8 * (at(1) - at(-1)) - (at(2) - at(-2));
    value = middle;
    return difference / (12 * static_cast<double>(step));
}

/// The same with the usual step; where that is not what the pullback says, the better of it and of a smaller
/// step: the usual one may have straddled a kink (of relu, or of an interpolation), which says nothing of the
/// gradient.
inline double central_difference(Scalar& value, double analytic, const std::function<double()>& f) {
    const double numeric = difference_of(value, gradient_limits.step, f);
    const double scale = std::max(std::abs(analytic), std::abs(numeric));
    if (std::abs(numeric - analytic) <= gradient_limits.relative * scale) return numeric;
    const double closer = difference_of(value, gradient_limits.step / (is_double ? 50 : 5), f);
    return std::abs(closer - analytic) < std::abs(numeric - analytic) ? closer : numeric;
}

/// Expects |analytic - numeric| <= 1e-6 (in double) of the larger of the two, by norm and by element.
inline void expect_gradient_close(const std::vector<double>& analytic, const std::vector<double>& numeric,
                                  const std::string& what) {
    double max = 0, error = 0, size = 0;
    for (std::size_t i = 0; i < numeric.size(); ++i) {
        max = std::max({max, std::abs(analytic[i]), std::abs(numeric[i])});
        error += (analytic[i] - numeric[i]) * (analytic[i] - numeric[i]);
        size += std::max(analytic[i] * analytic[i], numeric[i] * numeric[i]);
    }
    EXPECT_GT(max, 0) << what << ": a gradient of zeros shows nothing";
    EXPECT_LE(std::sqrt(error), gradient_limits.relative * std::sqrt(size)) << what;
    for (std::size_t i = 0; i < numeric.size(); ++i) {
        const double scale =
            std::max({std::abs(analytic[i]), std::abs(numeric[i]), gradient_limits.floor * max});
        EXPECT_LE(std::abs(analytic[i] - numeric[i]), gradient_limits.relative * scale)
            << what << ", element " << i << ": " << analytic[i] << " by the tape, " << numeric[i]
            << " by differences";
    }
}

/// Where an op's inputs come from: a leaf's gradient is added to, an intermediate's begins with its first
/// part.
enum class From { leaf, intermediate };

/// Gradients of sum(op(inputs) * cotangent) for the inputs that `wanted` names, the others as zeros. Runs in
/// an arena full of NaN, so that memory that is read before it is written shows.
inline std::vector<MutableTensor> tape_gradients(const Op& op, const std::vector<Tensor>& inputs,
                                                 const Tensor& cotangent, const std::vector<bool>& wanted,
                                                 From from = From::leaf) {
    std::vector<MutableTensor> gradients;
    for (const Tensor& input : inputs) gradients.push_back(Tensor::zeros(input.shape()));
    Arena arena;
    {
        ArenaScope scope(&arena);
        Tensor::full({1 << 20}, std::numeric_limits<Scalar>::quiet_NaN());
    }
    arena.reset();
    ArenaScope scope(&arena);
    Tape tape;
    Recording recording(&tape);
    std::vector<Variable> variables;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        variables.push_back(wanted[i] ? tape.leaf(inputs[i], gradients[i]) : Variable(inputs[i]));
        if (from == From::intermediate) variables.back() = scale(variables.back(), 1);
    }
    tape.backward(op(variables), cotangent);
    return gradients;
}

/// Expects the gradients of every input to be right, and the same where only one of them is asked for, or
/// where the inputs are results of other ops.
inline void check_gradient(const Op& op, const std::vector<Tensor>& given) {
    std::vector<MutableTensor> changed;
    for (const Tensor& input : given) changed.push_back(input.clone());
    const std::vector<Tensor> inputs(changed.begin(), changed.end());
    const auto value = [&] { return op(std::vector<Variable>(inputs.begin(), inputs.end())).value(); };
    const Tensor cotangent = random_tensor(value().shape(), 77);
    const std::vector<bool> all(inputs.size(), true);
    const auto gradients = tape_gradients(op, inputs, cotangent, all);
    const auto inner = tape_gradients(op, inputs, cotangent, all, From::intermediate);
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        expect_close(inner[k], gradients[k], is_double ? 1e-14 : 1e-6, "of intermediates");
        std::vector<double> analytic, numeric;
        for (Index i = 0; i < inputs[k].count(); ++i) {
            analytic.push_back(static_cast<double>(gradients[k].data()[i]));
            numeric.push_back(central_difference(changed[k].data()[i], analytic.back(),
                                                 [&] { return dot(value(), cotangent); }));
        }
        expect_gradient_close(analytic, numeric, "input " + std::to_string(k));

        std::vector<bool> alone(inputs.size(), false);
        alone[k] = true;
        expect_close(tape_gradients(op, inputs, cotangent, alone)[k], gradients[k], 0, "input alone");
    }
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
