// How gradients of ranks are weighed and clipped, by numbers that are worked out by hand.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "framework/nn/module.h"
#include "framework/ops/elementwise.h"
#include "framework/ops/reduce.h"
#include "framework/train/trainer.h"
#include "tests/distributed/session.h"

namespace locus {
namespace {

constexpr Index row = 12;  // places of a sequence

// A sequence whose loss, summed over its targets, is `total`, and whose gradient for the two weights is
// `gradient`.
struct Piece {
    Index targets;
    double total;
    std::array<Scalar, 2> gradient;
};

struct Taken {
    StepReport report;
    std::vector<Scalar> used;  // the gradient as AdamW got it
};

// A step over the pieces, a shard each, on the ranks of the job.
Taken step_over(const std::vector<Piece>& pieces, double clip) {
    ParameterStore store;
    ParameterScope scope(store);
    const Parameter weights = scope.add("weights", {2}, Initial::zeros());
    store.allocate(1);
    std::vector<Token> targets;
    for (const Piece& piece : pieces)
        for (Index t = 0; t < row; ++t) targets.push_back(t < piece.targets ? 0 : Batch::no_target);
    const Batch batch =
        Batch::of_text(static_cast<Index>(pieces.size()), std::vector<Token>(targets.size(), 0), targets);
    TrainOptions options;
    options.length = row;
    options.batch_tokens = options.tokens = batch.sequences * row;
    options.clip = clip;
    options.beta1 = 0;  // the first moment is the gradient
    Workers workers(1);
    Trainer trainer(store, options, workers, world());
    Taken taken;
    taken.report = trainer.step(1, batch, [&](const Batch& part, Index) {
        EXPECT_EQ(part.sequences, 1);
        const Piece& piece = pieces[static_cast<std::size_t>(part.first)];
        const MutableTensor slope = Tensor::zeros({2});
        for (Index i = 0; i < 2; ++i) slope.data()[i] = piece.gradient[static_cast<std::size_t>(i)];
        return Loss{sum_all(multiply(weights, Variable(slope))), piece.total, part.weight()};
    });
    const auto moment = trainer.optimizer().first_moment().values();
    taken.used.assign(moment.begin(), moment.begin() + 2);
    return taken;
}

TEST(WeightsOfRanks, EveryTargetCountsAlike) {
    // mean losses 1 over 6 targets and 3 over 2; 2 over 12 and 4 over 4: not the means of means, 2 and 3
    EXPECT_DOUBLE_EQ(step_over({{6, 6, {}}, {2, 6, {}}}, 0).report.loss, 1.5);
    const Taken taken = step_over({{12, 24, {12, 0}}, {4, 16, {0, 8}}}, 0);
    EXPECT_DOUBLE_EQ(taken.report.loss, 2.5);
    EXPECT_EQ(taken.used, (std::vector<Scalar>{0.75F, 0.5F}));  // sums of gradients over 16 targets
}

TEST(WeightsOfRanks, ClippingIsOfTheWholeGradientAndOnce) {
    // mean gradients [3, 0] and [0, 4] of equally many targets: their mean has the norm 2.5
    const Taken taken = step_over({{4, 4, {12, 0}}, {4, 4, {0, 16}}}, 1);
    EXPECT_DOUBLE_EQ(taken.report.grad_norm, 2.5);
    EXPECT_NEAR(taken.used[0], 0.6, 1e-6);
    EXPECT_NEAR(taken.used[1], 0.8, 1e-6);
}

TEST(WeightsOfRanks, APieceWithoutTargetsAddsNothing) {
    const Taken taken = step_over({{4, 4, {12, 0}}, {0, 0, {0, 0}}}, 0);
    EXPECT_DOUBLE_EQ(taken.report.loss, 1);
    EXPECT_EQ(taken.used, (std::vector<Scalar>{3, 0}));
    EXPECT_THROW(step_over({{0, 0, {}}, {0, 0, {}}}, 0), Error);
}

}  // namespace
}  // namespace locus
