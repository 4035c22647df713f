// A step weighs every target equally, however the batch is cut, and changes nothing when it cannot be done.
#include "framework/train/trainer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/framework/train/small_model.h"

namespace locus {
namespace {

TrainOptions options_for(Index sequences, Index shards) {
    TrainOptions options;
    options.length = length;
    options.batch_tokens = sequences * length;
    options.tokens = 10 * options.batch_tokens;
    options.shards = shards;
    options.lr = 0.01;
    options.min_lr = 0.001;
    return options;
}

struct Outcome {
    StepReport report;
    std::vector<Scalar> weights;
};

Outcome two_steps(Index sequences, Index shards, int threads, double clip = 1.0) {
    Model model(5);
    Workers workers(threads);
    TrainOptions options = options_for(sequences, shards);
    options.clip = clip;
    Trainer trainer(model.store, options, workers);
    const Batch batch = uneven_batch(sequences);
    const auto loss = [&](const Batch& b, Index) { return model.loss(b); };
    trainer.step(1, batch, loss);
    Outcome outcome{trainer.step(2, batch, loss), {}};
    const auto values = model.store.values().values();
    outcome.weights.assign(values.begin(), values.end());
    return outcome;
}

TEST(Trainer, TheCutOfABatchChangesOnlyRounding) {
    const Outcome whole = two_steps(24, 1, 1);
    for (Index shards : {2, 4, 8, 16}) {
        const Outcome cut = two_steps(24, shards, 1);
        EXPECT_NEAR(cut.report.loss, whole.report.loss, 1e-6);
        for (std::size_t i = 0; i < whole.weights.size(); ++i)
            ASSERT_NEAR(cut.weights[i], whole.weights[i], 1e-6) << shards;
    }
}

TEST(Trainer, ThreadsChangeNoBit) {
    for (Index sequences : {1, 2, 5, 7, 24}) {
        const Outcome one = two_steps(sequences, 16, 1);
        for (int threads : {2, 3, 4, 5}) {
            const Outcome many = two_steps(sequences, 16, threads);
            EXPECT_EQ(many.report.loss, one.report.loss);
            EXPECT_EQ(many.report.grad_norm, one.report.grad_norm);
            EXPECT_EQ(many.weights, one.weights) << sequences << " sequences, " << threads << " threads";
        }
    }
}

TEST(Trainer, LossIsTheMeanOverTargetsNotOverSequences) {
    Model model(5);
    Workers workers(2);
    Trainer trainer(model.store, options_for(8, 4), workers);
    const Batch batch = uneven_batch(8);
    double total = 0;
    double weight = 0;
    for (Index s = 0; s < 8; ++s) {  // nothing is recorded here
        const Loss own = model.loss(batch.slice(s, 1));
        total += own.total;
        weight += own.weight;
    }
    const StepReport report = trainer.step(1, batch, [&](const Batch& b, Index) { return model.loss(b); });
    EXPECT_EQ(report.weight, weight);
    EXPECT_NEAR(report.loss, total / weight, 1e-6);
}

TEST(Trainer, ABatchWithoutTargetsIsRefusedAndWeightsStay) {
    Model model(5);
    Workers workers(2);
    Trainer trainer(model.store, options_for(4, 4), workers);
    Batch batch = uneven_batch(4);
    batch.targets = BatchArray<Token>(4, std::vector<Token>(4 * length, Batch::no_target));
    const Tensor before = model.store.values().clone();
    EXPECT_THROW(trainer.step(1, batch, [&](const Batch& b, Index) { return model.loss(b); }), Error);
    for (Index i = 0; i < before.count(); ++i) ASSERT_EQ(model.store.values().data()[i], before.data()[i]);
}

TEST(Trainer, ASequenceWithoutTargetsAddsNothing) {
    const Batch batch = uneven_batch(4, 0);
    Model model(5);
    Workers workers(2);
    Trainer trainer(model.store, options_for(4, 4), workers);
    const StepReport report = trainer.step(1, batch, [&](const Batch& b, Index) { return model.loss(b); });
    EXPECT_TRUE(std::isfinite(report.loss));
    EXPECT_EQ(report.weight, 2 + 3 + 4);
}

TEST(Trainer, ALossThatIsNotFiniteIsANumericErrorAndWeightsStay) {
    Model model(5);
    model.store.change(
        [](const MutableTensor& values) { values.data()[0] = std::numeric_limits<Scalar>::quiet_NaN(); });
    Workers workers(2);
    Trainer trainer(model.store, options_for(4, 4), workers);
    const Scalar other = model.store.values().data()[1];
    try {
        trainer.step(1, uneven_batch(4), [&](const Batch& b, Index) { return model.loss(b); });
        FAIL() << "a NaN passed";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::numeric);
    }
    EXPECT_EQ(model.store.values().data()[1], other);
}

}  // namespace
}  // namespace locus
