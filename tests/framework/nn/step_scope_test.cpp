#include "framework/nn/step_scope.h"

#include <gtest/gtest.h>

#include "framework/ops/matmul.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

class StepScopeTest : public testing::Test {
  protected:
    StepScopeTest() {
        weight_ = Parameter(store_, store_.add("weight", {2, 3}, Initial::normal(1)));
        unused_ = Parameter(store_, store_.add("unused", {4}, Initial::normal(1)));
        store_.allocate(1);
    }

    Variable apply() const { return linear(Tensor::full({1, 3}, 1), weight_); }

    static void expect_nothing_ambient() {
        EXPECT_EQ(Arena::current(), nullptr);
        EXPECT_EQ(Tape::current(), nullptr);
        EXPECT_EQ(ParameterGradients::current(), nullptr);
        EXPECT_EQ(ProductScope::current(), Products{});
    }

    ParameterStore store_;
    Parameter weight_, unused_;
    StepSpace space_;
};

TEST_F(StepScopeTest, ARecordedStepOwnsAllThatItsOpsStandIn) {
    const MutableTensor flat = Tensor::full({store_.flat_size()}, 7);
    const Products products{Precision::bf16, GemmBackend::openblas};
    {
        const StepScope scope(space_, store_, flat, products);
        EXPECT_EQ(Arena::current(), &space_.arena);
        EXPECT_EQ(Tape::current(), &space_.tape);
        EXPECT_EQ(ProductScope::current(), products);
        space_.tape.backward(apply(), Tensor::full({1, 2}, 1));
        EXPECT_GT(space_.arena.used(), 0U);
    }
    expect_nothing_ambient();
    EXPECT_EQ(space_.arena.used(), 0U);
    for (Scalar gradient : store_.view(flat, 0).values()) EXPECT_EQ(gradient, 1);
    for (Scalar gradient : store_.view(flat, 1).values()) EXPECT_EQ(gradient, 0);  // had no part
}

TEST_F(StepScopeTest, WithoutGradientsNothingIsRecorded) {
    {
        const StepScope scope(space_);
        EXPECT_FALSE(apply().tracked());
        EXPECT_EQ(Arena::current(), &space_.arena);
    }
    expect_nothing_ambient();
}

TEST_F(StepScopeTest, WithinAnotherTheOuterOneComesBack) {
    StepSpace inner;
    const MutableTensor flat = Tensor::zeros({store_.flat_size()});
    const StepScope scope(space_, store_, flat, {.precision = Precision::bf16});
    const Variable before = apply();
    {
        const StepScope within(inner);
        EXPECT_EQ(Tape::current(), nullptr);
        EXPECT_EQ(ProductScope::current(), Products{});
    }
    EXPECT_TRUE(apply().tracked());
    EXPECT_EQ(ProductScope::current().precision, Precision::bf16);
    EXPECT_TRUE(before.tracked());
}

TEST_F(StepScopeTest, AnErrorWithinLeavesNothingBehind) {
    const MutableTensor flat = Tensor::zeros({store_.flat_size()});
    EXPECT_THROW(
        {
            const StepScope scope(space_, store_, flat);
            linear(Tensor::full({1, 5}, 1), weight_);  // inner sizes differ
        },
        Error);
    expect_nothing_ambient();
    EXPECT_EQ(space_.arena.used(), 0U);
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
