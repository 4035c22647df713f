// Means, gains and the effective context from losses that are put in by hand.
#include "recipes/engine/measure/summary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "recipes/engine/measure/policy.h"

namespace locus {
namespace {

/// Four documents of three targets; the loss at a context is the same for all tokens, plus a jitter by
/// document.
ProtocolRun paired_run(const std::vector<std::pair<Index, double>>& losses) {
    ProtocolRun run;
    run.protocol = "same_target";
    run.facts["baseline_context"] = 64;
    for (Index i = 0; i < 12; ++i) {
        run.losses.document.push_back(i / 3);
        run.losses.index.push_back(1000 + i);
        run.losses.target.push_back(65);
    }
    for (const auto& [context, nats] : losses) {
        run.losses.lengths.push_back(context);
        Record& record = run.records.emplace_back();
        record.coordinates["context"] = context;
        for (const std::string& metric : policy_of(run.protocol).metrics()) record.metrics[metric];
        auto& of_context = run.losses.nats.emplace_back();
        for (Index i = 0; i < 12; ++i)
            of_context.push_back(nats + 0.001 * static_cast<double>((i / 3 * context) % 7));
    }
    const Clusters clusters = make_clusters(run.losses.document, "documents");
    summarise(run, clusters, *make_tokenizer("byte"), 64);
    return run;
}

TEST(Summary, effectiveContextIsTheLastThatBeatsItsHalf) {
    EXPECT_EQ(paired_run({{64, 2.0}, {128, 1.9}, {256, 1.8}, {512, 1.8}}).fact("effective_context"), 256);
    EXPECT_EQ(paired_run({{64, 2.0}, {128, 1.9}, {256, 1.9}, {512, 1.7}}).fact("effective_context"), 512);
    EXPECT_EQ(paired_run({{32, 2.1}, {64, 2.0}, {128, 2.0}}).fact("effective_context"), 64);
    EXPECT_FALSE(paired_run({{64, 2.0}, {128, 2.0}, {256, 2.0}}).fact("effective_context"));
}

TEST(Summary, effectiveContextEndsBeforeHarm) {
    // 512 beats 256, but 256 is worse than the trained length.
    EXPECT_EQ(paired_run({{64, 2.0}, {128, 1.9}, {256, 2.5}, {512, 1.8}}).fact("effective_context"), 128);
    // Nothing that was not scored is worse than a context that diverged.
    EXPECT_EQ(paired_run({{64, 2.0}, {128, 1.9}, {256, std::nan("")}, {512, 1.9}, {1024, 1.8}})
                  .fact("effective_context"),
              128);
}

TEST(Summary, effectiveContextMayLieBelowTheTrainedLength) {
    EXPECT_EQ(paired_run({{8, 2.6}, {16, 2.4}, {32, 2.3}, {64, 2.3}, {128, 2.3}}).fact("effective_context"),
              32);
    EXPECT_EQ(paired_run({{8, 2.6}, {16, 2.4}, {32, 2.4}, {64, 2.3}, {128, 2.5}, {256, 2.0}})
                  .fact("effective_context"),
              64);
    // Worse than the trained length, as short contexts are, or than a shorter one: no harm up to there.
    EXPECT_EQ(paired_run({{8, 2.0}, {16, 2.5}, {32, 2.1}, {64, 2.0}, {128, 1.9}}).fact("effective_context"),
              128);
}

TEST(Summary, noEffectiveContextSaysBeyondWhatThereIsNone) {
    const auto beyond = [](const std::vector<std::pair<Index, double>>& losses) {
        const ProtocolRun run = paired_run(losses);
        EXPECT_FALSE(run.fact("effective_context"));
        return run.fact("effective_context_none_beyond");
    };
    EXPECT_EQ(beyond({{64, 2.0}, {128, 2.0}, {256, 2.0}}), 64);
    EXPECT_EQ(beyond({{64, 2.0}, {128, 2.5}}), 64);  // harmful at once
    EXPECT_EQ(beyond({{8, 2.0}, {16, 2.0}, {32, 2.0}, {64, 2.0}, {128, 2.0}}),
              8);                                               // reads less than 16 tokens
    EXPECT_EQ(beyond({{16, 2.5}, {64, 2.0}, {128, 2.0}}), 64);  // 64 has no half
    EXPECT_FALSE(beyond({{64, 2.0}, {256, 1.9}}));              // no pair to compare
    EXPECT_FALSE(beyond({{64, 2.0}}));
    EXPECT_FALSE(paired_run({{64, 2.0}, {128, 1.9}}).fact("effective_context_none_beyond"));
}

TEST(Summary, gainsAreCountedFromTheBaseline) {
    const ProtocolRun run = paired_run({{32, 2.5}, {64, 2.0}, {128, 1.5}});
    EXPECT_NEAR(*run.records[0].value("gain"), -0.5, 0.01);
    EXPECT_EQ(*run.records[1].value("gain"), 0);
    EXPECT_NEAR(*run.records[2].value("gain"), 0.5, 0.01);
    EXPECT_LT(run.records[0].interval("gain")->high, 0);
    EXPECT_GT(run.records[2].interval("gain")->low, 0);
}

TEST(Summary, aDivergedContextTakesNoOtherWithIt) {
    const ProtocolRun run = paired_run({{64, 2.0}, {128, std::nan("")}, {256, 1.5}});
    EXPECT_EQ(run.records[1].state, RecordState::diverged);
    EXPECT_FALSE(run.records[1].value("gain"));
    EXPECT_FALSE(run.records[1].interval("gain"));
    EXPECT_TRUE(run.records[2].value("gain"));
    EXPECT_FALSE(run.fact("effective_context"));

    const ProtocolRun lost = paired_run({{64, INFINITY}, {128, 1.0}});
    EXPECT_EQ(lost.records[0].state, RecordState::diverged);
    EXPECT_TRUE(lost.records[1].value("nats_per_token"));
    EXPECT_FALSE(lost.records[1].value("gain"));
}

}  // namespace
}  // namespace locus
