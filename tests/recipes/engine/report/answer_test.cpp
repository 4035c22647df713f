// What a table answers about lengths, in words.
#include "tests/recipes/engine/report/support.h"

namespace locus {
namespace {

// Bits at 64 and 128; 0.05 nats are 0.0721 bits.
TEST(Answer, SaysWhoKeepsItsLossAndWhoIsBestWhere) {
    Scratch scratch;
    std::vector<FakeRun> runs;
    for (int seed = 0; seed < 3; ++seed) {
        runs.push_back(run_of("rope", seed, {1.00 + 0.001 * seed, 2.00}));
        runs.push_back(run_of("alibi", seed, {1.10 + 0.001 * seed, 1.15 + 0.001 * seed}));
        runs.push_back(run_of("t5", seed, {1.00 - 0.001 * seed, 1.20}));
        runs.push_back(run_of("learned", seed, {1.30, nan_value}));
    }
    write_runs(scratch.path(), runs);
    const Table table = make_table(scratch.path());
    EXPECT_TRUE(says(table.answer,
                     {"within 0.05 nats", "alibi to 128 (2x)", "rope, t5 and learned not beyond 64 (1x)"}));
    EXPECT_TRUE(says(table.answer, {"best", "rope and t5 at 64 (1x)", "alibi at 128 (2x)"}));
    EXPECT_NE(text_of(table, "md").find("- non_overlapping: within"), std::string::npos);
}

TEST(Answer, OneRunEachDecidesNothing) {
    Scratch scratch;
    write_runs(scratch.path(), {run_of("rope", 0, {1.0, 2.0}), run_of("alibi", 0, {1.1, 1.1})});
    EXPECT_TRUE(
        says(make_table(scratch.path()).answer, {"of one run each and so undecided", "rope at 64 (1x)"}));
}

// Lengths that do not go beyond the trained one tell nothing about it.
TEST(Answer, NothingWithoutLongerLengths) {
    Scratch scratch;
    std::vector<FakeRun> runs = {run_of("rope", 0, {1.0}), run_of("alibi", 0, {1.1})};
    write_runs(scratch.path(), runs);
    EXPECT_TRUE(make_table(scratch.path()).answer.empty());
}

}  // namespace
}  // namespace locus
