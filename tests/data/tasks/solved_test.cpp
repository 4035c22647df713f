// The answers are right, follow from the evidence alone, and are as likely as the tasks state.
#include <cmath>
#include <map>

#include "tests/data/tasks/support.h"

namespace locus {

namespace {

class Solved : public EveryTask {
  protected:
    /// Share of `items` items all of whose answers come out, from the row or from the one without evidence.
    double solved(Index items, bool with_evidence, bool off) const {
        Index right = 0;
        for (Index index = 0; index < items; ++index) {
            const TaskItem item = sample_.at(index, length());
            const Words row = sample_.row(with_evidence ? item.tokens : item.without);
            const Words expected = answers_of(sample_.row(item.tokens), item.answers);
            right += solve(sample_, hide(row, item.answers), off) == expected;
        }
        return static_cast<double>(right) / static_cast<double>(items);
    }

    // Odd, so that blanks stand before words as well.
    Index length() const { return sample_.long_enough() | 1; }
};

// What lies beyond it is no chance of this world: 4.5 standard deviations of a share of `count`.
double margin(double share, Index count) {
    return 4.5 * std::sqrt(share * (1 - share) / static_cast<double>(count));
}

TEST_P(Solved, ByReadingTheEvidence) {
    EXPECT_EQ(solved(300, true, false), 1);
}

TEST_P(Solved, NotByReadingBesideIt) {
    // Two of three verdicts on facts that agree or are absent survive the loss of one fact.
    EXPECT_LT(solved(300, true, true), 0.8);
}

TEST_P(Solved, NotWithoutEvidence) {
    const double guess = sample_.task->majority(length());
    EXPECT_LE(solved(400, false, false), guess + margin(guess, 400));
}

TEST_P(Solved, ByGuessingAsOftenAsStated) {
    RandomStream guesses(3, Purpose::test, {1});
    std::map<Token, Index> first, second;
    Index asked = 0, guessed = 0;
    for (Index index = 0; index < 2000 && asked < 20000; ++index) {
        const TaskItem item = sample_.at(index, length());
        for (const Index place : item.answers) {
            const Token answer = item.tokens[static_cast<std::size_t>(place)];
            ++asked;
            guessed += answer == pick(sample_.task->answers(), guesses);
            ++(index % 2 == 0 ? first : second)[answer];
        }
    }
    const double chance = sample_.task->chance(), majority = sample_.task->majority(length());
    EXPECT_NEAR(static_cast<double>(guessed) / static_cast<double>(asked), chance, margin(chance, asked));
    Token most = sample_.task->answers()[0];
    for (const auto& [answer, count] : first)
        if (count > first[most]) most = answer;
    Index half = 0;
    for (const auto& [answer, count] : second) half += count;
    EXPECT_NEAR(static_cast<double>(second[most]) / static_cast<double>(half), majority,
                margin(majority, half));
    for (const auto& [answer, count] : first) EXPECT_TRUE(sample_.task->answers().holds(answer));
}

INSTANTIATE_TEST_SUITE_P(, Solved, testing::ValuesIn(settings()), test_name);

}  // namespace

}  // namespace locus
