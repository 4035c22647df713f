// The tape itself: accumulation, reuse, order, and what it refuses. Ops serve as examples only.
#include "framework/ops/elementwise.h"
#include "framework/ops/reduce.h"
#include "framework/ops/shape.h"
#include "tests/support/gradient_check.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

const MutableTensor one = Tensor::full({1}, 1);

TEST(Tape, AddsToWhatALeafHolds) {
    Tape tape;
    Recording recording(&tape);
    MutableTensor gradient = Tensor::full({2}, 10);
    const Variable x = tape.leaf(tensor_of({2}, {3, 4}), gradient);
    tape.backward(sum_all(multiply(x, x)), one);
    EXPECT_EQ(gradient.data()[0], 16);
    EXPECT_EQ(gradient.data()[1], 18);
}

TEST(Tape, SumsOverEveryUseOfAnIntermediate) {
    Tape tape;
    Recording recording(&tape);
    MutableTensor gradient = Tensor::zeros({2});
    const Variable x = tape.leaf(tensor_of({2}, {3, 4}), gradient);
    const Variable y = scale(x, 2);                                   // 2x
    const Variable z = add(multiply(y, y), add(y, reshape(y, {2})));  // 4x^2 + 4x
    tape.backward(z, tensor_of({2}, {1, -1}));
    EXPECT_EQ(gradient.data()[0], 8 * 3 + 4);
    EXPECT_EQ(gradient.data()[1], -(8 * 4 + 4));
}

TEST(Tape, TwoLeavesMayShareABuffer) {
    Tape tape;
    Recording recording(&tape);
    const MutableTensor value = tensor_of({1}, {3}), gradient = Tensor::zeros({1});
    tape.backward(multiply(tape.leaf(value, gradient), tape.leaf(value, gradient)), one);
    EXPECT_EQ(gradient.data()[0], 6);
}

TEST(Tape, LeafAsOutput) {
    Tape tape;
    MutableTensor gradient = Tensor::full({1}, 1);
    const Variable x = tape.leaf(tensor_of({1}, {3}), gradient);
    tape.backward(x, one);
    EXPECT_EQ(gradient.data()[0], 2);
}

TEST(Tape, FirstContributionOverwritesAnUnwrittenLeaf) {
    const Tensor value = tensor_of({1}, {3});
    const std::function<Variable(const Variable&, const Variable&)> outputs[] = {
        [](const Variable& x, const Variable& y) { return multiply(x, y); },
        [](const Variable& x, const Variable& y) { return add(scale(x, 2), scale(y, 4)); },
        [](const Variable& x, const Variable&) { return scale(x, 6); },
    };
    for (const auto& output : outputs) {
        bool written = false;
        MutableTensor gradient = Tensor::full({1}, std::numeric_limits<Scalar>::quiet_NaN());
        for (int round = 1; round <= 2; ++round) {  // the second is added
            Tape tape;
            Recording recording(&tape);
            tape.backward(output(tape.leaf(value, gradient, &written), tape.leaf(value, gradient, &written)),
                          one);
            EXPECT_TRUE(written);
        }
        EXPECT_EQ(gradient.data()[0], 12);
    }
    bool written = false;
    MutableTensor gradient = Tensor::full({1}, 7);
    Tape tape;
    const Variable x = tape.leaf(value, gradient, &written);
    tape.backward(x, one);
    EXPECT_EQ(gradient.data()[0], 1);
    tape.backward(x, one);
    EXPECT_EQ(gradient.data()[0], 2);
}

TEST(Tape, DoesNotTouchTheCotangent) {
    Tape tape;
    Recording recording(&tape);
    MutableTensor gradient = Tensor::zeros({3}), cotangent = tensor_of({3}, {1, 2, 3});
    tape.backward(scale(tape.leaf(random_tensor({3}, 1), gradient), 5), cotangent);
    EXPECT_EQ(largest_difference(cotangent, tensor_of({3}, {1, 2, 3})), 0);
    EXPECT_EQ(largest_difference(gradient, tensor_of({3}, {5, 10, 15})), 0);
}

TEST(Tape, ConstantsAreNotRecorded) {
    Tape tape;
    Recording recording(&tape);
    const Variable constant = multiply(Variable(random_tensor({3}, 1)), Variable(random_tensor({3}, 2)));
    EXPECT_FALSE(constant.tracked());
    EXPECT_THROW(tape.backward(constant, Tensor::zeros({3})), Error);
}

TEST(Tape, PullbacksRunOnce) {
    Tape tape;
    Recording recording(&tape);
    MutableTensor gradient = Tensor::zeros({2});
    const Variable y = scale(tape.leaf(random_tensor({2}, 1), gradient), 3);
    tape.backward(y, Tensor::full({2}, 1));
    tape.backward(y, Tensor::full({2}, 1));
    EXPECT_EQ(largest_difference(gradient, Tensor::full({2}, 3)), 0);
}

TEST(Tape, StepsRepeatExactly) {
    Arena arena;
    Tape tape;
    Recording recording(&tape);
    const Tensor value = random_tensor({4, 30}, 1);
    std::vector<MutableTensor> results;
    for (int step = 0; step < 3; ++step) {
        results.push_back(Tensor::zeros({4, 30}));
        ArenaScope scope(&arena);
        Variable x = tape.leaf(value, results.back());
        for (int i = 0; i < 5; ++i) x = add(x, gelu(multiply(x, x)));
        tape.backward(x, Tensor::full({4, 30}, 1));
        tape.reset();
        arena.reset();
    }
    EXPECT_GT(largest(results[0]), 1);
    EXPECT_EQ(largest_difference(results[1], results[0]), 0);
    EXPECT_EQ(largest_difference(results[2], results[0]), 0);
}

TEST(Tape, LongChainsDoNotRecurse) {
    Arena arena;
    ArenaScope scope(&arena);
    Tape tape;
    Recording recording(&tape);
    MutableTensor gradient = Tensor::zeros({1});
    Variable x = tape.leaf(one, gradient);
    for (int i = 0; i < 100000; ++i) x = scale(x, 1);
    tape.backward(x, one);
    EXPECT_EQ(gradient.data()[0], 1);
}

TEST(Tape, RefusesWhatDoesNotFit) {
    Tape tape, other;
    MutableTensor gradient = Tensor::zeros({2});
    const Variable x = tape.leaf(random_tensor({2}, 1), gradient);
    EXPECT_THROW(scale(x, 2), Error);  // tracked, but nothing records
    Recording recording(&tape);
    const Variable y = scale(x, 2);
    EXPECT_THROW(tape.backward(y, Tensor::zeros({3})), Error);
    EXPECT_THROW(other.backward(y, Tensor::zeros({2})), Error);
    EXPECT_THROW(tape.leaf(Tensor::zeros({2}), Tensor::zeros({3})), Error);
}

TEST(Tape, RecordingsNest) {
    Tape tape;
    EXPECT_EQ(Tape::current(), nullptr);
    {
        Recording outer(&tape);
        Recording inner(nullptr);
        EXPECT_EQ(Tape::current(), nullptr);
    }
    EXPECT_EQ(Tape::current(), nullptr);
}

TEST(Tape, GradientOfAWrongShapeIsCaught) {
    Tape tape;
    Recording recording(&tape);
    MutableTensor gradient = Tensor::zeros({2});
    const Variable x = tape.leaf(random_tensor({2}, 1), gradient);
    const Variable y = record(Tensor::zeros({2}), {x}, [](const Tensor&, const Gradients& gradients) {
        gradients.add(0, Tensor::zeros({3}));
    });
    EXPECT_THROW(tape.backward(y, Tensor::full({2}, 1)), Error);
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
