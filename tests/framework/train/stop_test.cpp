// Training that is asked to stop at any op leaves the state of the last whole step, and one that is not
// finite none.
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "framework/core/stop.h"
#include "framework/train/fit.h"
#include "framework/train/state.h"
#include "tests/framework/train/small_model.h"

namespace locus {
namespace {

struct Training {
    explicit Training(int threads, Index steps = 4) : workers(threads) {
        options.length = length;
        options.batch_tokens = 8 * length;
        options.tokens = steps * options.batch_tokens;
        options.shards = 4;
        options.lr = options.min_lr = 0.01;
        options.checkpoint_every = 100;
        trainer = std::make_unique<Trainer>(model.store, options, workers);
    }
    std::vector<Scalar> state() const {
        std::vector<Scalar> all;
        for (const Tensor& flat : {model.store.values(), trainer->optimizer().first_moment(),
                                   trainer->optimizer().second_moment()})
            all.insert(all.end(), flat.values().begin(), flat.values().end());
        return all;
    }
    // Stops in shard `at` of all that are run, counted from 1; 0: never.
    Index train(int at, const std::function<void(Index step)>& after = nullptr) {
        FitHooks hooks;
        const OneBatch source(uneven_batch(8));
        hooks.source = &source;
        hooks.loss = [&, at](const Batch& part, Index) {
            if (++shards == at) request_stop(SIGTERM);
            return model.loss(part);
        };
        hooks.log = [&](const StepRecord& record) {
            logged = record.step;
            if (after) after(record.step);
        };
        hooks.save = [&](Index step) { saved.push_back(step); };
        hooks.stop = [] { return stop_requested(); };
        const Index step = fit(*trainer, options, 0, hooks);
        forget_stop();
        return step;
    }

    Model model{5};
    Workers workers;
    TrainOptions options;
    std::unique_ptr<Trainer> trainer;
    std::atomic<int> shards = 0;
    Index logged = 0;
    std::vector<Index> saved;
};

TEST(Stop, InTheMiddleOfAStepLeavesTheStateBeforeIt) {
    std::vector<std::vector<Scalar>> states = {Training(1).state()};
    Training straight(1);
    straight.train(0, [&](Index) { states.push_back(straight.state()); });
    ASSERT_EQ(states.size(), 5U);
    for (const int threads : {1, 3}) {
        for (const int at : {1, 4, 5, 7, 12, 16}) {
            Training run(threads);
            const Index step = run.train(at);
            EXPECT_EQ(step, (at - 1) / 4) << at;
            EXPECT_EQ(run.logged, step);
            EXPECT_EQ(run.state(), states[static_cast<std::size_t>(step)]) << at;
            EXPECT_EQ(run.saved, step > 0 ? std::vector<Index>{step} : std::vector<Index>{}) << at;
        }
    }
}

TEST(Stop, IsAnErrorThatNamesTheSignal) {
    EXPECT_NO_THROW(throw_if_stopped());
    for (const auto& [signal, name] :
         {std::pair{SIGTERM, "stopped by SIGTERM"}, {SIGXCPU, "stopped by SIGXCPU"}}) {
        request_stop(signal);
        try {
            throw_if_stopped();
            ADD_FAILURE();
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Failure::interrupted);
            EXPECT_STREQ(error.what(), name);
        }
        forget_stop();
    }
    EXPECT_NO_THROW(throw_if_stopped());
}

TEST(FiniteState, IsAllThatMayBeSaved) {
    Training run(1);
    run.train(0);
    EXPECT_NO_THROW(require_finite_state(run.model.store, run.trainer->optimizer(), 4));
    MutableTensor values;
    run.model.store.change([&](const MutableTensor& all) { values = all; });
    Adamw& optimizer = run.trainer->mutable_optimizer();
    for (const MutableTensor& flat :
         {values, optimizer.mutable_first_moment(), optimizer.mutable_second_moment()}) {
        for (const Scalar wrong :
             {std::numeric_limits<Scalar>::quiet_NaN(), std::numeric_limits<Scalar>::infinity(),
              -std::numeric_limits<Scalar>::infinity()}) {
            for (const ParameterInfo& parameter : run.model.store.parameters()) {
                Scalar& last = flat.data()[parameter.offset + parameter.shape.count() - 1];
                const Scalar before = last;
                last = wrong;
                try {
                    require_finite_state(run.model.store, run.trainer->optimizer(), 4);
                    ADD_FAILURE() << parameter.name;
                } catch (const Error& error) {
                    EXPECT_EQ(error.kind(), Failure::numeric);
                    EXPECT_NE(std::string(error.what()).find(parameter.name), std::string::npos);
                }
                last = before;
            }
        }
    }
}

}  // namespace
}  // namespace locus
