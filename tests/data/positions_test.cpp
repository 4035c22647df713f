#include "data/positions.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "data/batches.h"
#include "tests/data/support.h"

namespace locus {
namespace {

using test::corpus_of;
using test::expect_error;
using test::targets_of;
using test::tokens_of;
using Numbers = std::vector<std::int64_t>;

RandomStream stream(std::uint64_t index) {
    return RandomStream(0, Purpose::test, {index});
}

TEST(SortedSample, KeepsTheRuleOfRandomizedPositions) {
    std::ifstream file(LOCUS_ORACLES "/randomized_positions.json");
    const auto example = nlohmann::json::parse(file)["example"];
    const Index max = example["M"], count = example["N"];
    const Numbers shown = example["positions"];
    for (std::uint64_t i = 0; i < 200; ++i) {
        const Numbers sample = sorted_sample(count, max, stream(i));
        ASSERT_EQ(sample.size(), shown.size());
        EXPECT_TRUE(std::is_sorted(sample.begin(), sample.end()));
        EXPECT_EQ(std::adjacent_find(sample.begin(), sample.end()), sample.end());
        EXPECT_GE(sample.front(), 0);
        EXPECT_LT(sample.back(), max);
    }
    EXPECT_EQ(sorted_sample(0, 5, stream(1)), Numbers{});
    EXPECT_EQ(sorted_sample(5, 5, stream(1)), (Numbers{0, 1, 2, 3, 4}));
    expect_error([] { sorted_sample(6, 5, stream(1)); }, Failure::usage, {"6", "5"});
}

// All 10 pairs of 5 numbers, each near 2000 of 20000 draws: 6 standard deviations are 255.
TEST(SortedSample, TakesEverySetEquallyOften) {
    std::map<Numbers, int> counts;
    for (std::uint64_t i = 0; i < 20000; ++i) ++counts[sorted_sample(2, 5, stream(i))];
    EXPECT_EQ(counts.size(), 10U);
    for (const auto& [pair, count] : counts) EXPECT_NEAR(count, 2000, 255) << pair[0] << " " << pair[1];
}

TEST(SkippedPositions, AreChunksInOrderWithinTheirRange) {
    std::set<std::int64_t> distances;
    std::set<Index> cuts;
    for (std::uint64_t i = 0; i < 4000; ++i) {
        const Numbers positions = skipped_positions(8, 24, 3, stream(i));
        ASSERT_EQ(positions.size(), 8U);
        EXPECT_EQ(positions.front(), 0);  // u_0 = 0
        EXPECT_LT(positions.back(), 24);
        Index jumps = 0;
        for (std::size_t t = 1; t < 8; ++t) {
            EXPECT_GT(positions[t], positions[t - 1]);
            if (positions[t] == positions[t - 1] + 1) continue;
            ++jumps;
            cuts.insert(static_cast<Index>(t));
        }
        EXPECT_LE(jumps, 2);
        for (std::size_t t = 0; t < 8; ++t)
            for (std::size_t s = 0; s <= t; ++s) distances.insert(positions[t] - positions[s]);
    }
    EXPECT_EQ(distances.size(), 24U);  // the whole target range, 0 .. 23
    EXPECT_EQ(cuts, (std::set<Index>{1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(skipped_positions(4, 4, 2, stream(1)), (Numbers{0, 1, 2, 3}));
    EXPECT_EQ(skipped_positions(4, 40, 1, stream(1)), (Numbers{0, 1, 2, 3}));
    expect_error([] { skipped_positions(4, 3, 2, stream(1)); }, Failure::usage, {"4", "3"});
    expect_error([] { skipped_positions(4, 8, 5, stream(1)); }, Failure::usage, {"5", "4"});
}

// u_1 is uniform on 0 .. max - length: 17 values, each near 1000 of 17000; 6 standard deviations are 185.
TEST(SkippedPositions, SkipUniformly) {
    std::map<std::int64_t, int> counts;
    for (std::uint64_t i = 0; i < 17000; ++i) ++counts[skipped_positions(8, 24, 2, stream(i)).back() - 7];
    EXPECT_EQ(counts.size(), 17U);
    for (const auto& [skip, count] : counts) EXPECT_NEAR(count, 1000, 185) << skip;
}

TEST(TrainingPositions, AreOneDrawABatchOrOneASequence) {
    const PositionOptions randomized{PositionKind::randomized, 100, 2}, pose{PositionKind::pose, 100, 2};
    const Positions shared = training_positions(randomized, 3, 10, 7, 5);
    EXPECT_EQ(shared.batch(), 1);
    EXPECT_TRUE(shared == training_positions(randomized, 9, 10, 7, 5));
    EXPECT_FALSE(shared == training_positions(randomized, 3, 10, 7, 6));
    EXPECT_FALSE(shared == training_positions(randomized, 3, 10, 8, 5));
    const Positions own = training_positions(pose, 3, 10, 7, 5);
    EXPECT_EQ(own.batch(), 3);
    EXPECT_FALSE(own.rows(0, 1) == own.rows(1, 1));
    EXPECT_TRUE(own.rows(2, 1) == training_positions(pose, 5, 10, 7, 5).rows(2, 1));
    EXPECT_TRUE(training_positions({}, 3, 10, 7, 5) == Positions::consecutive(10));
}

TEST(EvaluationPositions, AreDrawnByTheWindowAndNothingElse) {
    const PositionOptions randomized{PositionKind::randomized, 100, 2};
    const Numbers one = evaluation_positions(randomized, 3, 40, 12);
    EXPECT_EQ(one, evaluation_positions(randomized, 3, 40, 12));
    EXPECT_TRUE(std::is_sorted(one.begin(), one.end()));
    EXPECT_LT(one.back(), 100);
    EXPECT_NE(one, evaluation_positions(randomized, 4, 40, 12));
    EXPECT_NE(one, evaluation_positions(randomized, 3, 41, 12));
    EXPECT_EQ(evaluation_positions(randomized, 3, 40, 100).back(), 99);
    expect_error([&] { evaluation_positions(randomized, 3, 40, 101); }, Failure::usage, {"101", "100"});
    for (const PositionKind kind : {PositionKind::consecutive, PositionKind::packed, PositionKind::pose})
        EXPECT_EQ(evaluation_positions({kind, 100, 2}, 3, 40, 3), (Numbers{0, 1, 2}));
}

Split everything_of(const Corpus& corpus) {
    DataOptions options;
    options.valid_fraction = 0;
    return split(corpus, options).train;
}

TEST(PackedOrder, RestartsPositionsAndHidesOtherDocuments) {
    const Corpus corpus = corpus_of({7, 1, 5, 4});  // the document of one token is left out
    const TrainingOrder order(everything_of(corpus), 5, 5, 1, 0, {PositionKind::packed, 0, 2});
    EXPECT_EQ(order.blocks(), 3);
    std::map<Token, Batch> by_first;
    for (Index step = 0; step < 3; ++step) {
        const Batch batch = order.at(step);
        by_first[tokens_of(batch).front()] = batch;
    }
    const auto check = [&](const std::vector<Token>& tokens, const std::vector<Token>& targets,
                           const Numbers& positions, const std::vector<std::int32_t>& segments) {
        const Batch& batch = by_first.at(tokens.front());
        EXPECT_EQ(tokens_of(batch), tokens);
        EXPECT_EQ(targets_of(batch), targets);
        EXPECT_TRUE(batch.positions == Positions(1, 5, 1, positions));
        const auto own = batch.segments.numbers();
        EXPECT_EQ(std::vector<std::int32_t>(own.begin(), own.end()), segments);
    };
    constexpr Token none = Batch::no_target;  // tokens 0 .. 6 | 8 .. 12 | 13 .. 16
    check({0, 1, 2, 3, 4}, {1, 2, 3, 4, 5}, {0, 1, 2, 3, 4}, {0, 0, 0, 0, 0});
    check({5, 6, 8, 9, 10}, {6, none, 9, 10, 11}, {0, 1, 0, 1, 2}, {0, 0, 1, 1, 1});
    check({11, 12, 13, 14, 15}, {12, none, 14, 15, 16}, {0, 1, 0, 1, 2}, {0, 0, 1, 1, 1});
    EXPECT_EQ(order.summary(),
              "3 blocks of 5 tokens from 3 of 4 documents, packed; 16 tokens used, 1 left over");
}

TEST(PackedOrder, UsesDocumentsThatHoldNoBlock) {
    const Corpus corpus = corpus_of(std::vector<Index>(20, 10));
    expect_error([&] { TrainingOrder(everything_of(corpus), 64, 32, 2, 0); }, Failure::data,
                 {"65", "has 10"});
    const TrainingOrder order(everything_of(corpus), 64, 32, 2, 0, {PositionKind::packed, 0, 2});
    EXPECT_EQ(order.blocks(), 3);
    for (Index step = 0; step < 3; ++step) {
        const Batch batch = order.at(step);
        EXPECT_EQ(batch.positions.batch(), 2);
        EXPECT_LT(batch.positions.max(), 10);
        for (Index s = 0; s < 2; ++s) {
            for (Index t = 0; t < 32; ++t) {
                const auto i = static_cast<std::size_t>(s * 32 + t);
                // document d holds the tokens 10 d .. 10 d + 9
                const Token token = batch.ids()[i];
                EXPECT_EQ(batch.targets[i] == Batch::no_target, token % 10 == 9);
                if (t == 0) continue;
                const bool begins = token % 10 == 0;
                EXPECT_EQ(batch.segments[i] - batch.segments[i - 1], begins ? 1 : 0);
                EXPECT_EQ(batch.positions(s, t), begins ? 0 : batch.positions(s, t - 1) + 1);
            }
        }
    }
    const Corpus tiny = corpus_of({3, 3});
    expect_error(
        [&] {
            TrainingOrder(everything_of(tiny), 6, 6, 1, 0, {PositionKind::packed, 0, 2});
        },
        Failure::data, {"7", "6"});
}

TEST(TrainingOrder, FillsPositionsAnewInEveryStep) {
    const Corpus corpus = corpus_of({1000});
    const TrainingOrder order(everything_of(corpus), 32, 32, 4, 3, {PositionKind::pose, 256, 2});
    Batch batch = order.at(0);
    EXPECT_EQ(batch.positions.batch(), 4);
    const Positions first = batch.positions;
    order.fill(1, batch);
    EXPECT_FALSE(batch.positions == first);
    EXPECT_TRUE(batch.segments.empty());
    EXPECT_EQ(tokens_of(batch), tokens_of(TrainingOrder(everything_of(corpus), 32, 32, 4, 3).at(1)));
    EXPECT_TRUE(batch.positions == training_positions({PositionKind::pose, 256, 2}, 4, 32, 3, 1));
}

}  // namespace
}  // namespace locus
