// Steps over ranks: the same report and weights as one process, and errors that reach all.
#include "framework/train/trainer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/distributed/session.h"
#include "tests/framework/train/small_model.h"

namespace locus {
namespace {

TrainOptions options_for(Index sequences) {
    TrainOptions options;
    options.length = length;
    options.batch_tokens = sequences * length;
    options.tokens = 10 * options.batch_tokens;
    options.shards = 16;
    options.lr = 0.01;
    options.min_lr = 0.001;
    return options;
}

struct Outcome {
    double loss = 0, norm = 0;
    double asked = 0;
    std::vector<Scalar> weights;
    bool operator==(const Outcome&) const = default;
};

Outcome three_steps(const Communicator& group, const Batch& batch, int threads) {
    Model model(5);
    Workers workers(threads);
    Trainer trainer(model.store, options_for(batch.sequences), workers, group);
    StepReport report;
    for (Index step = 1; step <= 3; ++step)
        report = trainer.step(step, batch, [&](const Batch& b, Index) { return model.loss(b); });
    const auto values = model.store.values().values();
    return {report.loss, report.grad_norm, report.weight, {values.begin(), values.end()}};
}

TEST(TrainerOverRanks, RanksChangeNoBit) {
    for (const Index sequences : {1, 2, 7, 10, 24}) {  // fewer than there are ranks, too
        const Batch batch = uneven_batch(sequences);
        const Outcome one = three_steps({}, batch, 1);
        for (const int threads : {1, 2}) EXPECT_EQ(three_steps(world(), batch, threads), one) << sequences;
    }
}

TEST(TrainerOverRanks, AShardWithoutTargetsAddsNothing) {
    const Batch batch = uneven_batch(16, 15);  // all of the last rank's last shard
    const Outcome one = three_steps({}, batch, 1);
    EXPECT_EQ(three_steps(world(), batch, 1), one);
    EXPECT_TRUE(std::isfinite(one.loss));
}

TEST(TrainerOverRanks, AnErrorInAStepOfOneRankReachesAll) {
    Model model(5);
    Workers workers(2);
    Trainer trainer(model.store, options_for(16), workers, world());
    const Tensor before = model.store.values().clone();
    const Batch batch = uneven_batch(16);
    try {
        trainer.step(1, batch, [&](const Batch& b, Index) {
            require(b.first != 15, Failure::data, "sequence {} is damaged", b.first);  // the last rank has it
            return model.loss(b);
        });
        FAIL() << "the error did not come";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::data);
        const std::string reason = "sequence 15 is damaged";
        EXPECT_EQ(error.what(), world().alone() ? reason
                                                : fmt::format("rank {} of {}: {}", world().size() - 1,
                                                              world().size(), reason));
    }
    for (Index i = 0; i < before.count(); ++i) ASSERT_EQ(model.store.values().data()[i], before.data()[i]);
}

TEST(TrainerOverRanks, DivergenceIsMetByAllRanksAlike) {
    Model model(5);
    model.store.change(
        [](const MutableTensor& values) { values.data()[0] = std::numeric_limits<Scalar>::quiet_NaN(); });
    Workers workers(1);
    Trainer trainer(model.store, options_for(4), workers, world());
    try {
        trainer.step(1, uneven_batch(4), [&](const Batch& b, Index) { return model.loss(b); });
        FAIL() << "a NaN passed";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::numeric);
    }
}

}  // namespace
}  // namespace locus
