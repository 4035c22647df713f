#include "framework/nn/module.h"

#include "framework/nn/layers.h"
#include "framework/ops/reduce.h"
#include "tests/support/tensors.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

TEST(ParameterStore, InitialValuesDependOnSeedAndNameOnly) {
    const auto values_of_b = [](std::uint64_t seed, const std::vector<std::string>& before) {
        ParameterStore store;
        const ParameterScope scope(store);
        for (const std::string& name : before) scope.add(name, {17, 3}, Initial::normal(1));
        const Parameter b = scope.inside("block").add("b", {5, 4}, Initial::normal(0.5));
        store.allocate(seed);
        return b.value().clone();
    };
    const Tensor alone = values_of_b(1, {});
    EXPECT_EQ(largest_difference(values_of_b(1, {"a", "c"}), alone), 0);
    EXPECT_GT(largest_difference(values_of_b(2, {}), alone), 0.01);

    ParameterStore store;
    const Parameter other = ParameterScope(store).add("block.c", {5, 4}, Initial::normal(0.5));
    store.allocate(1);
    EXPECT_GT(largest_difference(other.value(), alone), 0.01);
}

TEST(ParameterStore, DrawsWhatIsAskedFor) {
    ParameterStore store;
    const ParameterScope scope(store);
    const Parameter zeros = scope.add("zeros", {7}, Initial::zeros()),
                    ones = scope.add("ones", {7}, Initial::ones());
    const Parameter normal = scope.add("normal", {100, 100}, Initial::normal(0.02));
    store.allocate(3);
    EXPECT_EQ(largest(zeros.value()), 0);
    EXPECT_EQ(largest_difference(ones.value(), Tensor::full({7}, 1)), 0);
    double squares = 0;
    for (Scalar value : normal.value().values())
        squares += static_cast<double>(value) * static_cast<double>(value);
    EXPECT_NEAR(std::sqrt(squares / 10000), 0.02, 0.001);
}

TEST(ParameterStore, DrawsByAFunctionAndKeepsFromDecayWhatIsToStay) {
    const auto values_of = [](std::uint64_t seed, const std::string& name) {
        ParameterStore store;
        const auto draw = [](RandomStream& stream, std::span<Scalar> values) {
            for (Scalar& value : values) value = static_cast<Scalar>(5 + stream.uniform());
        };
        const Parameter p = ParameterScope(store).add(name, {3, 4}, Initial::drawn(draw), Decay::never);
        store.allocate(seed);
        EXPECT_FALSE(store.parameters()[0].decayed);
        return p.value().clone();
    };
    const Tensor first = values_of(1, "a");
    for (Scalar value : first.values()) EXPECT_TRUE(value >= 5 && value < 6) << value;
    EXPECT_EQ(largest_difference(values_of(1, "a"), first), 0);
    EXPECT_GT(largest_difference(values_of(2, "a"), first), 0.01);
    EXPECT_GT(largest_difference(values_of(1, "b"), first), 0.01);
}

TEST(ParameterStore, LaysParametersOutFlat) {
    ParameterStore store;
    const ParameterScope scope(store);
    scope.add("a", {3}, Initial::ones());
    scope.inside("b").inside("c").add("weight", {2, 5}, Initial::ones());
    EXPECT_THROW(scope.add("a", {3}, Initial::ones()), Error);
    store.allocate(1);
    EXPECT_THROW(scope.add("late", {3}, Initial::ones()), Error);
    const auto& all = store.parameters();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[1].name, "b.c.weight");
    EXPECT_FALSE(all[0].decayed);
    EXPECT_TRUE(all[1].decayed);
    EXPECT_EQ(store.count(), 13);
    EXPECT_EQ(static_cast<std::size_t>(all[1].offset) * sizeof(Scalar) % 64, 0U);
    double sum = 0;  // the padding stays 0
    for (Scalar value : store.values().values()) sum += static_cast<double>(value);
    EXPECT_EQ(sum, 13);
}

TEST(ParameterStore, ProductsSeeValuesThatWereWritten) {
    ParameterStore store;
    const Linear layer(ParameterScope(store), 40, 9, 1, false);
    store.allocate(1);
    const Tensor x = random_tensor({5, 40}, 1), before = layer(x).value();
    EXPECT_EQ(largest_difference(layer(x).value(), before), 0);
    store.change([](const MutableTensor& values) {
        for (Scalar& value : values.values()) value *= 2;
    });
    EXPECT_EQ(largest_difference(layer(x).value(), add(before, before).value()), 0);
}

TEST(ParameterStore, ProductsSeeValuesOfAWriterThatFailed) {
    ParameterStore store;
    const Linear layer(ParameterScope(store), 40, 9, 1, false);
    store.allocate(1);
    const Tensor x = random_tensor({5, 40}, 1), before = layer(x).value();
    const auto fail_halfway = [](const MutableTensor& values) {
        for (Scalar& value : values.values()) value *= 2;
        fail(Failure::data, "halfway");
    };
    EXPECT_THROW(store.change(fail_halfway), Error);
    EXPECT_EQ(largest_difference(layer(x).value(), add(before, before).value()), 0);
}

TEST(Parameter, IsALeafOnlyWhereGradientsAreWanted) {
    ParameterStore store;
    const Parameter p = ParameterScope(store).add("p", {3}, Initial::ones());
    store.allocate(1);
    EXPECT_FALSE(Variable(p).tracked());
    const MutableTensor flat = Tensor::full({store.flat_size()}, 7);
    Tape tape;
    Recording recording(&tape);
    EXPECT_FALSE(Variable(p).tracked());
    {
        const ParameterGradients gradients(store, flat);
        ASSERT_TRUE(Variable(p).tracked());
        tape.backward(sum_all(add(p, p)), Tensor::full({1}, 2));
    }
    EXPECT_FALSE(Variable(p).tracked());
    EXPECT_EQ(flat.data()[2], 4);  // the first contribution overwrites, the second is added
    EXPECT_EQ(flat.data()[3], 7);  // the padding is nobody's
}

TEST(Parameter, WithoutAPartInTheOutputHasAZeroGradient) {
    ParameterStore store;
    const ParameterScope scope(store);
    const Parameter used = scope.add("used", {2}, Initial::ones()),
                    idle = scope.add("idle", {2}, Initial::ones());
    store.allocate(1);
    const MutableTensor flat = Tensor::full({store.flat_size()}, 7);
    {
        Tape tape;
        Recording recording(&tape);
        const ParameterGradients gradients(store, flat);
        EXPECT_TRUE(static_cast<Variable>(idle).tracked());
        tape.backward(used, Tensor::full({2}, 3));
    }
    EXPECT_EQ(largest_difference(store.view(flat, 0), Tensor::full({2}, 3)), 0);
    EXPECT_EQ(largest(store.view(flat, 1)), 0);
}

TEST(ParameterStore, BeginsAsItIsTold) {
    ParameterStore store;
    const ParameterScope scope(store);
    const Parameter given = scope.add("given", {2, 2}, Initial::given({1, -2, 3, 0.5}));
    const Parameter uniform = scope.add("uniform", {2000}, Initial::uniform(2));
    const Parameter bounded = scope.add("bounded", {2000}, Initial::uniform(2), Decay::matrices, {0.5, 1.5});
    store.allocate(1);
    EXPECT_EQ(largest_difference(given.value(), tensor_of({2, 2}, {1, -2, 3, 0.5})), 0);
    double sum = 0, min = 9, max = -9;
    for (Scalar value : uniform.value().values()) {
        sum += static_cast<double>(value);
        min = std::min(min, static_cast<double>(value));
        max = std::max(max, static_cast<double>(value));
    }
    EXPECT_NEAR(sum / 2000, 1, 0.05);  // four standard errors of 2 / sqrt(12 * 2000)
    EXPECT_TRUE(min >= 0 && min < 0.01 && max > 1.99 && max < 2) << min << " " << max;
    const auto [low, high] =
        std::minmax_element(bounded.value().values().begin(), bounded.value().values().end());
    EXPECT_EQ(*low, Scalar(0.5));
    EXPECT_EQ(*high, Scalar(1.5));
}

TEST(ParameterStore, RefusesGivenValuesOfAnotherCount) {
    ParameterStore store;
    EXPECT_THROW(store.add("given", {2, 2}, Initial::given({1, 2, 3})), Error);
}

TEST(Layers, NameTheirParameters) {
    const auto names = [](bool bias) {
        ParameterStore store;
        const ParameterScope scope(store);
        const Linear linear(scope.inside("linear"), 4, 6, 1, bias);
        const Norm norm(scope.inside("norm"), 4, Norm::Kind::layer, bias);
        const Norm rms(scope.inside("rms"), 4, Norm::Kind::rms, bias);
        const Mlp mlp(scope.inside("mlp"), 4, 8, Mlp::Kind::swiglu, {1, 1}, bias);
        store.allocate(1);
        const Tensor x = random_tensor({2, 3, 4}, 1);
        EXPECT_EQ(linear(x).shape(), (Shape{2, 3, 6}));
        EXPECT_EQ(mlp(rms(norm(x))).shape(), (Shape{2, 3, 4}));
        std::vector<std::string> list;
        for (const ParameterInfo& info : store.parameters()) list.push_back(info.name);
        return list;
    };
    EXPECT_EQ(names(false),
              (std::vector<std::string>{"linear.weight", "norm.weight", "rms.weight", "mlp.up.weight",
                                        "mlp.down.weight", "mlp.gate.weight"}));
    EXPECT_EQ(names(true),
              (std::vector<std::string>{"linear.weight", "linear.bias", "norm.weight", "norm.bias",
                                        "rms.weight", "mlp.up.weight", "mlp.up.bias", "mlp.down.weight",
                                        "mlp.down.bias", "mlp.gate.weight", "mlp.gate.bias"}));
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
