#include "framework/optim/adamw.h"

#include <cmath>

#include "framework/ops/matmul.h"
#include "tests/support/tensors.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

constexpr double limit = is_double ? 1e-14 : 2e-6;

struct Model {
    ParameterStore store;
    Parameter matrix, vector;
    Model() {
        const ParameterScope scope(store);
        matrix = scope.add("matrix", {5, 7}, Initial::normal(1));
        vector =
            scope.inside("slow").with_lr_factor(0.25).inside("er").add("vector", {11}, Initial::normal(1));
        store.allocate(1);
    }
};

// The update of the paper with sums written out: m_t = (1 - b1) sum b1^(t - s) g_s, and so on.
double closed_form(double weight, const std::vector<double>& gradients, double lr, double decay) {
    const AdamwOptions o;
    for (std::size_t t = 1; t <= gradients.size(); ++t) {
        double m = 0, v = 0, m_weights = 0, v_weights = 0;
        for (std::size_t s = 1; s <= t; ++s) {
            const double age = static_cast<double>(t - s);
            m += std::pow(o.beta1, age) * gradients[s - 1];
            v += std::pow(o.beta2, age) * gradients[s - 1] * gradients[s - 1];
            m_weights += std::pow(o.beta1, age);
            v_weights += std::pow(o.beta2, age);
        }
        weight -= lr * (m / m_weights / (std::sqrt(v / v_weights) + o.epsilon) + decay * weight);
    }
    return weight;
}

TEST(Adamw, FollowsItsClosedForm) {
    for (int threads : {1, 2, 3}) {
        Model model;
        Workers workers(threads);
        Adamw adamw(model.store, {});
        const Tensor before = model.store.values().clone();
        std::vector<Tensor> gradients;
        for (Index step = 1; step <= 3; ++step) {
            gradients.push_back(random_tensor({model.store.flat_size()}, static_cast<std::uint64_t>(step)));
            adamw.step(workers, step, 0.01, gradients.back(), 0.5);
        }
        for (const ParameterInfo& info : model.store.parameters()) {
            const double decay = info.name == "matrix" ? 0.1 : 0;  // matrices only
            const double lr = 0.01 * (info.name == "matrix" ? 1 : 0.25);
            for (Index i = info.offset; i < info.offset + info.shape.count(); ++i) {
                std::vector<double> history;
                for (const Tensor& g : gradients) history.push_back(0.5 * static_cast<double>(g.data()[i]));
                const double expected =
                    closed_form(static_cast<double>(before.data()[i]), history, lr, decay);
                EXPECT_NEAR(model.store.values().data()[i], expected, limit * 10) << info.name << " " << i;
            }
        }
    }
}

TEST(Adamw, SameBitsForAnyNumberOfWorkersAndPaddingStays) {
    const auto run = [](int threads) {
        Model model;
        Workers workers(threads);
        Adamw adamw(model.store, {});
        adamw.step(workers, 1, 0.01, random_tensor({model.store.flat_size()}, 1), 1);
        EXPECT_EQ(model.store.values().data()[model.store.flat_size() - 1], 0);  // 11 of 16 or of 12
        EXPECT_GT(largest(adamw.second_moment()), 0);
        return model.store.values().clone();
    };
    for (int threads : {2, 3, 5}) EXPECT_EQ(largest_difference(run(threads), run(1)), 0);
}

// Packed copies of weights must not outlive a step.
TEST(Adamw, NextProductUsesTheNewWeights) {
    Model model;
    Workers workers(1);
    Adamw adamw(model.store, {});
    const Tensor x = random_tensor({3, 7}, 1);
    for (Index step = 1; step <= 3; ++step) {
        const Tensor actual = linear(x, model.matrix).value();
        const Tensor expected =
            linear(x, model.matrix.value().clone()).value();  // memory that nobody watches
        EXPECT_EQ(largest_difference(actual, expected), 0) << step;
        adamw.step(workers, step, 0.1, random_tensor({model.store.flat_size()}, 2), 1);
        EXPECT_GT(largest_difference(linear(x, model.matrix).value(), expected), 0.01) << step;
    }
}

TEST(Adamw, SkipsWhatHasNoGradientButDecays) {
    Model model;
    Workers workers(1);
    Adamw adamw(model.store, {});
    const Tensor matrix = model.matrix.value().clone(), vector = model.vector.value().clone();
    adamw.step(workers, 1, 0.5, Tensor::zeros({model.store.flat_size()}), 1);
    EXPECT_EQ(largest_difference(model.vector.value(), vector), 0);
    for (Index i = 0; i < matrix.count(); ++i) {
        EXPECT_NEAR(model.matrix.value().data()[i], 0.95 * static_cast<double>(matrix.data()[i]), limit);
    }
}

TEST(Clip, ScalesTheWholeGradientOnce) {
    Workers workers(2);
    const Tensor sum = tensor_of({2}, {3, 4});  // of the micro-gradients [3, 0] and [0, 4]
    EXPECT_EQ(gradient_norm(workers, sum), 5);
    const double factor = clip_factor(5, 1);
    EXPECT_NEAR(factor * 3, 0.6, 1e-15);
    EXPECT_NEAR(factor * 4, 0.8, 1e-15);
    EXPECT_EQ(clip_factor(0.5, 1), 1);
    EXPECT_EQ(clip_factor(1, 1), 1);
    EXPECT_EQ(clip_factor(5, 0), 1);
    EXPECT_EQ(clip_factor(0, 1), 1);
}

TEST(GradientNorm, SameBitsForAnyNumberOfWorkers) {
    for (Index count : {1, 7, 255, 256, 257, 10007}) {
        const Tensor gradient = random_tensor({count}, 1);
        double squares = 0;
        for (Scalar g : gradient.values()) squares += static_cast<double>(g) * static_cast<double>(g);
        Workers one(1);
        const double norm = gradient_norm(one, gradient);
        EXPECT_NEAR(norm, std::sqrt(squares), 1e-12 * norm);
        for (int threads : {2, 3, 5}) {
            Workers many(threads);
            EXPECT_EQ(gradient_norm(many, gradient), norm) << count << ", " << threads;
        }
    }
}

TEST(GradientNorm, NanAndInfinityShow) {
    Workers workers(2);
    for (Scalar bad : {std::numeric_limits<Scalar>::quiet_NaN(), std::numeric_limits<Scalar>::infinity()}) {
        const MutableTensor gradient = random_tensor({1000}, 1);
        gradient.data()[777] = bad;
        EXPECT_FALSE(std::isfinite(gradient_norm(workers, gradient)));
    }
}

// A parameter at its bound comes back as soon as its gradient turns: nothing is stuck there.
TEST(Adamw, ProjectsOntoTheBounds) {
    ParameterStore store;
    const Parameter bounded = ParameterScope(store).add("bounded", {3}, Initial::given({0.5, 0.5, 0.5}),
                                                        Decay::matrices, {0.4, 0.6});
    store.allocate(1);
    Workers workers(1);
    Adamw adamw(store, {.beta1 = 0, .beta2 = 0});
    const auto push = [&](Index step, Scalar direction) {
        const MutableTensor gradient = Tensor::zeros({store.flat_size()});
        gradient.data()[0] = direction;
        gradient.data()[1] = -direction;
        adamw.step(workers, step, 0.07, gradient, 1);
    };
    for (Index step = 1; step <= 3; ++step) push(step, 1);
    EXPECT_EQ(bounded.value().data()[0], static_cast<Scalar>(0.4));
    EXPECT_EQ(bounded.value().data()[1], static_cast<Scalar>(0.6));
    EXPECT_EQ(bounded.value().data()[2], static_cast<Scalar>(0.5));
    push(4, -1);
    EXPECT_NEAR(bounded.value().data()[0], 0.47, 1e-6);
    EXPECT_NEAR(bounded.value().data()[1], 0.53, 1e-6);
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
