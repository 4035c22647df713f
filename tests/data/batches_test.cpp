#include "data/batches.h"

#include <algorithm>
#include <set>

#include "tests/data/support.h"

namespace locus {
namespace {

using test::corpus_of;
using test::expect_error;
using test::targets_of;
using test::tokens_of;
using Window = TrainingOrder::Window;

Split whole(const Corpus& corpus) {
    DataOptions options;
    options.valid_fraction = 0;
    return split(corpus, options).train;
}

TEST(TrainingOrder, BlocksOfShortDocuments) {
    struct Row {
        Index tokens, blocks, used;
    };
    for (const Row row : {Row{65, 1, 65}, {66, 1, 65}, {128, 1, 65}, {129, 2, 129}, {130, 2, 129}}) {
        const Corpus corpus = corpus_of({row.tokens});
        const TrainingOrder order(whole(corpus), 64, 64, 1, 0);
        EXPECT_EQ(order.blocks(), row.blocks) << row.tokens;
        const std::string use = fmt::format("{} tokens used, {} left over", row.used, row.tokens - row.used);
        EXPECT_NE(order.summary().find(use), std::string::npos) << order.summary();
    }
}

TEST(TrainingOrder, RefusesDocumentsWithoutABlockAndNamesBothNumbers) {
    for (const Index tokens : {1, 64}) {
        const Corpus corpus = corpus_of({tokens, 1});
        expect_error([&] { TrainingOrder(whole(corpus), 64, 64, 1, 0); }, Failure::data,
                     {"64", "65", "has " + std::to_string(tokens)});
    }
    expect_error([&] { TrainingOrder(Split{"train", {}}, 64, 64, 1, 0); }, Failure::data, {"65", "has 0"});
    Split empty{"train", {{"d", "b", 0, {}}}};
    expect_error([&] { TrainingOrder(empty, 64, 64, 1, 0); }, Failure::data, {"65", "has 0"});
}

TEST(TrainingOrder, RefusesBadSizes) {
    const Corpus corpus = corpus_of({1000});
    expect_error([&] { TrainingOrder(whole(corpus), 64, 48, 1, 0); }, Failure::usage, {"64", "48"});
    expect_error([&] { TrainingOrder(whole(corpus), 64, 0, 1, 0); }, Failure::usage, {"length 0"});
    expect_error([&] { TrainingOrder(whole(corpus), 64, 64, 0, 0); }, Failure::usage, {"sequences 0"});
    expect_error([&] { TrainingOrder(whole(corpus), 64, 64, 1, 0).at(-1); }, Failure::usage, {"-1"});
}

TEST(TrainingOrder, EveryWindowOncePerEpochAndEpochsDiffer) {
    const Corpus corpus = corpus_of({400, 30, 385});  // 6 + 0 + 6 blocks of 64
    const TrainingOrder order(whole(corpus), 64, 64, 2, 7);
    ASSERT_EQ(order.blocks(), 12);
    std::vector<std::vector<Index>> epochs(3);
    for (Index step = 0; step < 18; ++step) {
        for (const Window& window : order.windows(step)) {
            EXPECT_EQ(window.epoch, step / 6);
            epochs[static_cast<std::size_t>(window.epoch)].push_back(window.block);
        }
    }
    for (const auto& ids : epochs) EXPECT_EQ(std::set<Index>(ids.begin(), ids.end()).size(), 12u);
    EXPECT_NE(epochs[0], epochs[1]);
    EXPECT_NE(epochs[1], epochs[2]);
    EXPECT_NE(epochs[0], epochs[2]);
    EXPECT_DOUBLE_EQ(order.epochs(9), 1.5);
    const TrainingOrder other(whole(corpus), 64, 64, 12, 8);
    std::vector<Index> ids;
    for (const Window& window : other.windows(0)) ids.push_back(window.block);
    EXPECT_NE(ids, epochs[0]);
}

TEST(TrainingOrder, AStepDependsOnNothingButItsNumber) {
    const Corpus corpus = corpus_of({400, 385});
    const TrainingOrder straight(whole(corpus), 64, 32, 5,
                                 7);  // 24 windows: steps run across the ends of epochs
    std::vector<std::vector<Window>> log;
    for (Index step = 0; step < 20; ++step) log.push_back(straight.windows(step));
    for (const Index resumed : {4, 5, 11, 19, 0, 10}) {
        const TrainingOrder again(whole(corpus), 64, 32, 5, 7);
        EXPECT_EQ(again.windows(resumed), log[static_cast<std::size_t>(resumed)]);
        EXPECT_EQ(tokens_of(again.at(resumed)), tokens_of(straight.at(resumed)));
    }
    EXPECT_NE(log[4].front().epoch, log[4].back().epoch);
}

TEST(TrainingOrder, AStepMayHoldSeveralEpochs) {
    const Corpus corpus = corpus_of({129});
    const TrainingOrder order(whole(corpus), 64, 64, 5, 0);
    std::vector<Index> epochs;
    for (const Window& window : order.windows(1)) epochs.push_back(window.epoch);
    EXPECT_EQ(epochs, (std::vector<Index>{2, 3, 3, 4, 4}));
    EXPECT_EQ(order.at(1).ids().numbers().size(), 5u * 64u);
}

TEST(TrainingOrder, TargetsAreOneFurtherAndStayInTheDocument) {
    const Corpus corpus = corpus_of({200, 129, 70});
    const TrainingOrder order(whole(corpus), 64, 32, 4, 3);
    const Index begins[] = {0, 64, 128, 200, 264, 329};  // of the blocks, in tokens of the corpus
    ASSERT_EQ(order.blocks(), 6);
    for (Index step = 0; step < 6; ++step) {
        const Batch batch = order.at(step);
        const auto windows = order.windows(step);
        ASSERT_EQ(batch.sequences, 4);
        ASSERT_EQ(batch.length, 32);
        EXPECT_TRUE(batch.positions == Positions::consecutive(32));
        for (Index s = 0; s < 4; ++s) {
            const Window& window = windows[static_cast<std::size_t>(s)];
            const Index begin = begins[window.block] + window.window * 32;
            for (Index t = 0; t < 32; ++t) {
                EXPECT_EQ(batch.slice(s, 1).ids()[static_cast<std::size_t>(t)], (begin + t) % 251);
                EXPECT_EQ(batch.slice(s, 1).targets[static_cast<std::size_t>(t)], (begin + t + 1) % 251);
            }
        }
    }
}

TEST(TrainingOrder, ArmsOfOtherLengthsSeeTheSameTokensInAStep) {
    const Corpus corpus = corpus_of({1000, 700, 2000});
    const TrainingOrder reference(whole(corpus), 128, 128, 3, 5);
    for (const Index length : {16, 32, 64}) {
        const TrainingOrder arm(whole(corpus), 128, length, 3 * 128 / length, 5);
        for (Index step = 0; step < 20; ++step) {
            EXPECT_EQ(tokens_of(arm.at(step)), tokens_of(reference.at(step))) << length;
            EXPECT_EQ(targets_of(arm.at(step)), targets_of(reference.at(step))) << length;
        }
        EXPECT_EQ(arm.hash(20), reference.hash(20));
        EXPECT_DOUBLE_EQ(arm.epochs(20), reference.epochs(20));
    }
}

TEST(TrainingOrder, HashTellsOrdersApart) {
    const Corpus corpus = corpus_of({1000, 700}), other = corpus_of({700, 1000});
    const std::string hash = TrainingOrder(whole(corpus), 64, 64, 2, 5).hash(30);
    EXPECT_EQ(hash.size(), 32u);
    EXPECT_EQ(hash, TrainingOrder(whole(corpus), 64, 64, 2, 5).hash(30));
    EXPECT_NE(hash, TrainingOrder(whole(corpus), 64, 64, 2, 5).hash(31));
    EXPECT_NE(hash, TrainingOrder(whole(corpus), 64, 64, 2, 6).hash(30));
    EXPECT_NE(hash, TrainingOrder(whole(corpus), 128, 64, 2, 5).hash(30));
    EXPECT_NE(hash, TrainingOrder(whole(other), 64, 64, 2, 5).hash(30));
}

TEST(TrainingOrder, FillUsesTheMemoryAgain) {
    const Corpus corpus = corpus_of({1000});
    const TrainingOrder order(whole(corpus), 64, 32, 4, 3);
    Batch batch = order.at(0);
    const Token* tokens = batch.ids().numbers().data();
    order.fill(5, batch);
    EXPECT_EQ(batch.ids().numbers().data(), tokens);
    EXPECT_EQ(tokens_of(batch), tokens_of(order.at(5)));
    EXPECT_EQ(targets_of(batch), targets_of(order.at(5)));
    const Batch kept = batch;  // who still looks at a batch sees it unchanged
    order.fill(6, batch);
    EXPECT_EQ(tokens_of(kept), tokens_of(order.at(5)));
    EXPECT_EQ(tokens_of(batch), tokens_of(order.at(6)));
}

TEST(TrainingOrder, SummaryTellsWhatIsUsed) {
    const Corpus corpus = corpus_of({200, 60});
    EXPECT_EQ(TrainingOrder(whole(corpus), 64, 32, 4, 3).summary(),
              "3 blocks of 64 tokens from 1 of 2 documents; 193 tokens used, 67 left over");
}

}  // namespace
}  // namespace locus
