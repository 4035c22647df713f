// Steps over ranks: the same report and weights as one process, and errors that reach all.
#include "framework/train/trainer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "framework/nn/layers.h"
#include "framework/ops/embedding.h"
#include "tests/distributed/session.h"

namespace locus {
namespace {

constexpr Index vocabulary = 11, width = 8, length = 6;

// An embedding, a linear layer and an output matrix: the least model with matrices and a loss.
struct Model {
    Model()
        : scope(store),
          table(scope.add("table", {vocabulary, width}, Initial::normal(0.5))),
          inner(scope.inside("inner"), width, width, 0.5, true) {
        store.allocate(5);
    }
    CrossEntropy loss(const Batch& batch, Index first, Index count) const {
        const auto tokens = batch.tokens_of(first, count);
        WorkVector<Token> ids;
        ids.assign(tokens.begin(), tokens.end());
        return linear_cross_entropy(inner(embedding(table, std::move(ids), count, batch.length)), table,
                                    batch.targets_of(first, count));
    }
    ParameterStore store;
    ParameterScope scope;
    Parameter table;
    Linear inner;
};

// Sequence s has s % length + 1 targets; those of `silent` none.
Batch uneven_batch(Index sequences, Index silent = -1) {
    Batch batch;
    batch.sequences = sequences;
    batch.length = length;
    batch.positions = Positions::consecutive(length);
    for (Index s = 0; s < sequences; ++s) {
        for (Index t = 0; t < length; ++t) {
            batch.tokens.push_back(static_cast<Token>((3 * s + 5 * t) % vocabulary));
            const bool asked = t <= s % length && s != silent;
            batch.targets.push_back(asked ? static_cast<Token>((s + 7 * t) % vocabulary) : Batch::no_target);
        }
    }
    return batch;
}

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
    Index targets = 0;
    std::vector<Scalar> weights;
    bool operator==(const Outcome&) const = default;
};

Outcome three_steps(const Communicator& group, const Batch& batch, int threads) {
    Model model;
    Workers workers(threads);
    Trainer trainer(model.store, options_for(batch.sequences), workers, group);
    StepReport report;
    for (Index step = 1; step <= 3; ++step)
        report = trainer.step(step, batch, [&](const Batch& b, Index first, Index count, Index) {
            return model.loss(b, first, count);
        });
    const auto values = model.store.values().values();
    return {report.loss, report.grad_norm, report.targets, {values.begin(), values.end()}};
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
    Model model;
    Workers workers(2);
    Trainer trainer(model.store, options_for(16), workers, world());
    const Tensor before = model.store.values().clone();
    const Batch batch = uneven_batch(16);
    try {
        trainer.step(1, batch, [&](const Batch& b, Index first, Index count, Index) {
            require(first != 15, Failure::data, "sequence {} is damaged", first);  // the last rank has it
            return model.loss(b, first, count);
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
    Model model;
    model.store.values().data()[0] = std::numeric_limits<Scalar>::quiet_NaN();
    model.store.touch();
    Workers workers(1);
    Trainer trainer(model.store, options_for(4), workers, world());
    try {
        trainer.step(1, uneven_batch(4), [&](const Batch& b, Index first, Index count, Index) {
            return model.loss(b, first, count);
        });
        FAIL() << "a NaN passed";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::numeric);
    }
}

}  // namespace
}  // namespace locus
