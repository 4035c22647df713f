#include "data/task_batches.h"

#include <set>

#include "framework/core/error.h"
#include "tests/data/tasks/support.h"

namespace locus {

namespace {

class Batches : public EveryTask {
  protected:
    static constexpr Index sequences = 24;

    TaskBatches source(std::uint64_t seed = 3) const {
        return TaskBatches(sample_.task, {low(), high()}, sequences, seed);
    }
    Index low() const { return std::max(sample_.task->shortest() + 4, Index{16}); }
    Index high() const { return low() + 15; }
};

TEST_P(Batches, AskForTheAnswersOfTrainingItemsAndForNothingElse) {
    const TaskBatches batches = source();
    EXPECT_EQ(batches.length(), high());
    std::set<Index> lengths;
    Batch batch;
    for (const Index step : {5, 0, 1, 2}) {  // in any order, into the same memory
        batches.fill(step, batch);
        batch.check();
        const auto tokens = batch.ids().numbers(), targets = batch.targets.numbers();
        ASSERT_EQ(tokens.size(), static_cast<std::size_t>(sequences * high()));
        for (Index row = 0; row < sequences; ++row) {
            const auto read =
                tokens.subspan(static_cast<std::size_t>(row * high()), static_cast<std::size_t>(high()));
            const auto asked =
                targets.subspan(static_cast<std::size_t>(row * high()), static_cast<std::size_t>(high()));
            // The item of this number that the row begins with, of whichever length.
            Index found = 0;
            for (Index length = low(); length <= high() && found == 0; ++length) {
                const TaskItem item = sample_.at(step * sequences + row, length, ItemPart::train, 3);
                if (!std::equal(item.tokens.begin(), item.tokens.end(), read.begin())) continue;
                if (std::any_of(read.begin() + length, read.end(),
                                [&](Token token) { return token != sample_.task->filler().first; }))
                    continue;
                found = length;
                std::vector<Token> expected(read.size(), no_target);
                for (const Index place : item.answers)
                    expected[static_cast<std::size_t>(place - 1)] =
                        item.tokens[static_cast<std::size_t>(place)];
                EXPECT_EQ(std::vector<Token>(asked.begin(), asked.end()), expected);
            }
            ASSERT_NE(found, 0) << "row " << row << " holds no item of its number";
            lengths.insert(found);
        }
    }
    EXPECT_GE(lengths.size(), 12u) << "96 items have nearly all of 16 lengths";
}

TEST_P(Batches, AreDecidedBySeedAndStep) {
    const auto tokens = [](const Batch& batch) {
        const auto numbers = batch.ids().numbers();
        return std::vector<Token>(numbers.begin(), numbers.end());
    };
    EXPECT_EQ(tokens(source().at(4)), tokens(source().at(4)));
    EXPECT_NE(tokens(source().at(4)), tokens(source().at(5)));
    EXPECT_NE(tokens(source().at(4)), tokens(source(4).at(4)));
    EXPECT_EQ(source().hash(7), source().hash(7));
    EXPECT_NE(source().hash(7), source().hash(8));
    EXPECT_NE(source().hash(7), source(4).hash(7));
}

TEST(TaskBatches, RefuseLengthsThatTheTaskDoesNotFitIn) {
    const auto refusal = [](Index low, Index high, PositionOptions positions) -> std::string {
        try {
            TaskBatches(Sample("mqar").task, {low, high}, 4, 0, positions);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(refusal(31, 64, {}), "task mqar: an item has 32 tokens or more, not 31");
    EXPECT_NE(refusal(65, 64, {}).find("found 65 to 64"), std::string::npos);
    EXPECT_NE(refusal(32, 64, {PositionKind::packed}).find("packed"), std::string::npos);
    EXPECT_EQ(refusal(32, 64, {PositionKind::randomized, 256}), "");
}

INSTANTIATE_TEST_SUITE_P(, Batches, testing::ValuesIn(settings()), test_name);

}  // namespace

}  // namespace locus
