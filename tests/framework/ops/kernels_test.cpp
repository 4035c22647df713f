// Vector loops against plain ones: every width, so that all tails are met; extreme numbers; accuracy.
#include <cmath>
#include <functional>
#include <limits>

#include "framework/ops/kernels/adamw.h"
#include "framework/ops/kernels/elementwise.h"
#include "framework/ops/kernels/norm.h"
#include "framework/ops/kernels/rotate.h"
#include "framework/ops/kernels/softmax.h"
#include "tests/support/tensors.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

constexpr Scalar infinity = std::numeric_limits<Scalar>::infinity();
constexpr double rounding = std::numeric_limits<Scalar>::epsilon();
constexpr Scalar guard = 12345;  // what stands behind an array must stay
constexpr Index max_width = 70;

std::vector<Scalar> numbers(Index count, std::uint64_t index) {
    const Tensor tensor = random_tensor({count}, index);
    return {tensor.data(), tensor.data() + count};
}

// Runs `kernel` into an array with a guard behind it, for every width, and compares with `plain(i)`.
void check_widths(const std::function<void(Scalar* out, Index count)>& kernel,
                  const std::function<double(std::size_t)>& plain, const std::vector<Scalar>& before) {
    for (Index width = 1; width <= max_width; ++width) {
        std::vector<Scalar> out(before.begin(), before.begin() + width);
        out.push_back(guard);
        kernel(out.data(), width);
        EXPECT_EQ(out.back(), guard) << "width " << width;
        for (std::size_t i = 0; i + 1 < out.size(); ++i) {
            const double expected = plain(i);
            EXPECT_NEAR(static_cast<double>(out[i]), expected, 8 * rounding * (1 + std::abs(expected)))
                << "width " << width << ", element " << i;
        }
    }
}

double sigmoid(double x) {
    return 1 / (1 + std::exp(-x));
}

double tanh_gelu(double x) {
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

TEST(Kernels, ArithmeticOfEveryWidth) {
    const auto a = numbers(max_width, 1), b = numbers(max_width, 2), before = numbers(max_width, 3);
    const auto at = [](const std::vector<Scalar>& x) {
        return [&x](std::size_t i) { return static_cast<double>(x[i]); };
    };
    const auto x = at(a), y = at(b), z = at(before);
    check_widths([&](Scalar* out, Index n) { kernels::add(a.data(), b.data(), out, n); },
                 [&](std::size_t i) { return x(i) + y(i); }, before);
    check_widths([&](Scalar* out, Index n) { kernels::multiply(a.data(), b.data(), out, n); },
                 [&](std::size_t i) { return x(i) * y(i); }, before);
    check_widths([&](Scalar* out, Index n) { kernels::scale(a.data(), Scalar(-3), out, n); },
                 [&](std::size_t i) { return -3 * x(i); }, before);
    check_widths([&](Scalar* out, Index n) { kernels::accumulate(a.data(), out, n); },
                 [&](std::size_t i) { return z(i) + x(i); }, before);
    check_widths([&](Scalar* out, Index n) { kernels::accumulate_product(a.data(), b.data(), out, n); },
                 [&](std::size_t i) { return z(i) + x(i) * y(i); }, before);
    for (Index n = 0; n <= max_width; ++n) {
        double sum = 0;
        for (Index i = 0; i < n; ++i) sum += x(static_cast<std::size_t>(i)) * x(static_cast<std::size_t>(i));
        EXPECT_NEAR(kernels::sum_of_squares(a.data(), n), sum, 1e-13 * (1 + sum)) << n;
    }
}

TEST(Kernels, FunctionsOfEveryWidth) {
    const auto a = numbers(max_width, 1), b = numbers(max_width, 2), before = numbers(max_width, 3);
    const auto x = [&](std::size_t i) { return static_cast<double>(a[i]); };
    check_widths([&](Scalar* out, Index n) { kernels::exponential(a.data(), out, n); },
                 [&](std::size_t i) { return std::exp(x(i)); }, before);
    check_widths([&](Scalar* out, Index n) { kernels::gelu(a.data(), out, n); },
                 [&](std::size_t i) { return tanh_gelu(x(i)); }, before);
    check_widths([&](Scalar* out, Index n) { kernels::swiglu(a.data(), b.data(), out, n); },
                 [&](std::size_t i) { return x(i) * sigmoid(x(i)) * static_cast<double>(b[i]); }, before);
    std::vector<Scalar> set(max_width), added(before);
    kernels::gelu_pullback(a.data(), b.data(), set.data(), false, max_width);
    kernels::gelu_pullback(a.data(), b.data(), added.data(), true, max_width);
    for (std::size_t i = 0; i < set.size(); ++i) {
        EXPECT_NEAR(added[i], before[i] + set[i], 4 * rounding * (1 + std::abs(double(added[i]))));
    }
}

TEST(Kernels, InPlace) {
    const auto a = numbers(37, 1);
    std::vector<Scalar> out(37), own(a);
    kernels::gelu(a.data(), out.data(), 37);
    kernels::gelu(own.data(), own.data(), 37);
    EXPECT_EQ(own, out);
}

TEST(Kernels, RowsOfEveryWidth) {
    for (Index width = 1; width <= max_width; ++width) {
        const auto x = numbers(2 * width, 1), scale = numbers(width, 2), shift = numbers(width, 3);
        std::vector<Scalar> soft(2 * width), normed(2 * width), statistics(4);
        kernels::softmax(x.data(), soft.data(), 2, width);
        kernels::norm(x.data(), scale.data(), shift.data(), true, Scalar(1e-5), normed.data(),
                      statistics.data(), 2, width);
        for (Index row = 0; row < 2; ++row) {
            double total = 0, mean = 0, variance = 0;
            const auto value = [&](Index i) { return static_cast<double>(x[row * width + i]); };
            for (Index i = 0; i < width; ++i) total += std::exp(value(i));
            for (Index i = 0; i < width; ++i) mean += value(i) / static_cast<double>(width);
            for (Index i = 0; i < width; ++i)
                variance += (value(i) - mean) * (value(i) - mean) / static_cast<double>(width);
            for (Index i = 0; i < width; ++i) {
                const double expected =
                    (value(i) - mean) / std::sqrt(variance + 1e-5) * double(scale[i]) + double(shift[i]);
                EXPECT_NEAR(soft[row * width + i], std::exp(value(i)) / total, 16 * rounding) << width;
                // one element has variance 0: the distance from the mean is all rounding
                if (width == 1) continue;
                EXPECT_NEAR(normed[row * width + i], expected, 64 * rounding * (3 + std::abs(expected)));
            }
        }
    }
}

TEST(Kernels, RotationOfEveryWidth) {
    for (Index pairs = 1; pairs <= 35; ++pairs) {
        const Index width = 2 * pairs + 1, rows = 3;
        const auto x = numbers(rows * width, 1), cos = numbers(rows * pairs, 2),
                   sin = numbers(rows * pairs, 3);
        for (bool interleaved : {false, true}) {
            std::vector<Scalar> out(rows * width), back(rows * width, 1);
            kernels::rotate_rows({pairs, width, interleaved, false}, x.data(), cos.data(), sin.data(),
                                 out.data(), false, rows);
            kernels::rotate_rows({pairs, width, interleaved, true}, x.data(), cos.data(), sin.data(),
                                 back.data(), true, rows);
            for (Index k = 0; k < rows * pairs; ++k) {
                const Index row = k / pairs, i = k % pairs;
                const Index p = row * width + (interleaved ? 2 * i : i),
                            q = row * width + (interleaved ? 2 * i + 1 : i + pairs);
                EXPECT_NEAR(out[p], x[p] * cos[k] - x[q] * sin[k], 20 * rounding);
                EXPECT_NEAR(out[q], x[p] * sin[k] + x[q] * cos[k], 20 * rounding);
                EXPECT_NEAR(back[p], 1 + x[p] * cos[k] + x[q] * sin[k], 20 * rounding);
                EXPECT_NEAR(back[q], 1 - x[p] * sin[k] + x[q] * cos[k], 20 * rounding);
            }
            for (Index last = width - 1; last < rows * width; last += width) {
                EXPECT_EQ(out[last], x[last]);
                EXPECT_EQ(back[last], 1 + x[last]);
            }
        }
    }
}

// Float polynomials, and the double ones that gradient checks rest on, against libm in double.
TEST(Kernels, AccuracyOfExponentialAndGelu) {
    double exp_error = 0, gelu_error = 0;
    std::vector<Scalar> x, exps, gelus;
    for (double at = -80; at <= 80; at += 0.00371) x.push_back(static_cast<Scalar>(at));
    exps.resize(x.size());
    gelus.resize(x.size());
    kernels::exponential(x.data(), exps.data(), static_cast<Index>(x.size()));
    kernels::gelu(x.data(), gelus.data(), static_cast<Index>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double exact = std::exp(static_cast<double>(x[i])), gelu = tanh_gelu(static_cast<double>(x[i]));
        exp_error = std::max(exp_error, std::abs(static_cast<double>(exps[i]) / exact - 1));
        gelu_error =
            std::max(gelu_error, std::abs(static_cast<double>(gelus[i]) - gelu) / (1 + std::abs(gelu)));
    }
    EXPECT_LE(exp_error, 2 * rounding);
    EXPECT_LE(gelu_error, 2 * rounding);
}

TEST(Kernels, ExtremeNumbersHaveTheirLimits) {
    const Scalar nan = std::numeric_limits<Scalar>::quiet_NaN(), max = std::numeric_limits<Scalar>::max();
    const std::vector<Scalar> x{-infinity, -max, -10000, -1000, -200, 1000, 10000, max, infinity, nan, 0};
    const auto n = static_cast<Index>(x.size());
    std::vector<Scalar> out(x.size());
    kernels::exponential(x.data(), out.data(), n);
    for (std::size_t i : {0U, 1U, 2U, 3U}) EXPECT_EQ(out[i], 0) << x[i];
    EXPECT_LT(out[4], Scalar(1e-37));
    for (std::size_t i : {5U, 6U, 7U, 8U}) EXPECT_EQ(out[i], infinity) << x[i];
    EXPECT_TRUE(std::isnan(out[9]));
    EXPECT_EQ(out[10], 1);

    const std::vector<Scalar> finite{-10000, -1000, -100, 100, 1000, 10000}, ones(6, 1);
    std::vector<Scalar> value(6), slope(6), up(6);
    kernels::gelu(finite.data(), value.data(), 6);
    kernels::gelu_pullback(finite.data(), ones.data(), slope.data(), false, 6);
    for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_NEAR(value[i], finite[i] > 0 ? finite[i] : Scalar{0}, Scalar(1e-30)) << finite[i];
        EXPECT_NEAR(slope[i], finite[i] > 0 ? Scalar{1} : Scalar{0}, Scalar(1e-30)) << finite[i];
    }
    kernels::swiglu(finite.data(), ones.data(), value.data(), 6);
    kernels::swiglu_pullback(finite.data(), ones.data(), ones.data(), slope.data(), up.data(), 6);
    for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_NEAR(value[i], finite[i] > 0 ? finite[i] : Scalar{0}, Scalar(1e-30)) << finite[i];
        EXPECT_NEAR(slope[i], finite[i] > 0 ? Scalar{1} : Scalar{0}, Scalar(1e-30)) << finite[i];
        EXPECT_NEAR(up[i], value[i], Scalar(1e-30)) << finite[i];
    }
    EXPECT_TRUE([&] {
        kernels::gelu(&nan, out.data(), 1);
        return std::isnan(out[0]);
    }());
}

TEST(Kernels, SoftmaxOfHiddenAndHugeScores) {
    for (Index width : {3, 16, 21}) {
        std::vector<Scalar> hidden(width, -infinity), one(hidden), huge(width, Scalar(1e30)), out(width);
        kernels::softmax(hidden.data(), out.data(), 1, width);
        EXPECT_EQ(out, std::vector<Scalar>(width, 0));
        one[1] = -2e9F;
        kernels::softmax(one.data(), out.data(), 1, width);
        EXPECT_EQ(out[1], 1);
        EXPECT_EQ(out[0], 0);
        EXPECT_EQ(out[2], 0);
        kernels::softmax(huge.data(), out.data(), 1, width);
        EXPECT_NEAR(out[0], 1 / static_cast<double>(width), rounding);
    }
}

// A number that is not one must reach the loss: a run stops on it.
TEST(Kernels, NanStays) {
    const Scalar nan = std::numeric_limits<Scalar>::quiet_NaN();
    for (Index width : {3, 16, 21, 40}) {
        for (Index place = 0; place < width; ++place) {
            std::vector<Scalar> x(width, 1), out(width);
            x[place] = nan;
            kernels::softmax(x.data(), out.data(), 1, width);
            EXPECT_TRUE(std::isnan(out[place])) << place << " of " << width;
            const Token target = place == 0 ? 1 : 0;
            double nats = 0;
            kernels::cross_entropy(x.data(), &target, &nats, false, 1, width);
            EXPECT_TRUE(std::isnan(nats)) << place << " of " << width;
        }
    }
}

TEST(Kernels, AdamwOfEveryWidthLeavesNeighboursAlone) {
    const kernels::AdamwStep step{.lr = 0.1,
                                  .beta1 = 0.9,
                                  .beta2 = 0.95,
                                  .epsilon = 1e-8,
                                  .weight_decay = 0.1,
                                  .correction1 = 0.1,
                                  .correction2 = 0.05,
                                  .gradient_scale = 0.5};
    const auto gradient = numbers(max_width, 1), weight = numbers(max_width, 2);
    for (Index width = 1; width <= max_width; ++width) {
        std::vector<Scalar> w(weight.begin(), weight.begin() + width), m(width), v(width);
        for (auto* all : {&w, &m, &v}) all->push_back(guard);
        kernels::adamw(step, gradient.data(), m.data(), v.data(), w.data(), width);
        for (auto* all : {&w, &m, &v}) EXPECT_EQ(all->back(), guard);
        for (Index i = 0; i < width; ++i) {
            const double g = 0.5 * double(gradient[i]), expected_m = 0.1 * g, expected_v = 0.05 * g * g;
            EXPECT_NEAR(m[i], expected_m, 4 * rounding);
            EXPECT_NEAR(v[i], expected_v, 4 * rounding);
            const double update = (expected_m / 0.1) / (std::sqrt(expected_v / 0.05) + 1e-8);
            EXPECT_NEAR(w[i], double(weight[i]) * (1 - 0.01) - 0.1 * update, 16 * rounding);
        }
    }
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
