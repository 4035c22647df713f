// Primary contrasts: what a recipe must say, and how many runs decide them.
#include "recipes/engine/config/power.h"

#include "tests/recipes/engine/config/support.h"

namespace locus {
namespace {

// An experiment of so many seeds with primary contrasts.
std::string experiment(int seeds, const std::string& contrasts, const std::string& axes = "") {
    return "vary: {arm: [{name: a}, {name: b}, {name: c}], train.seed: {from: 1, to: " +
           std::to_string(seeds) + "}" + axes +
           "}\nevaluate: {protocols: [same_target], lengths: [16, 32]}\ntable: {columns: [protocol, length], "
           "primary_column: [same_target, 32], primary_contrasts: [" +
           contrasts + "]}\n";
}

// 2 / 2^n times the number of contrasts must not be above 0.05.
TEST(Power, SaysHowManyRunsAreNeeded) {
    EXPECT_EQ(caution_of_power(cells_from(experiment(6, "a - b"))), "");
    EXPECT_TRUE(holds(caution_of_power(cells_from(experiment(5, "a - b"))),
                      {"5 values of train.seed cannot decide 1 primary contrast: 6 can"}));
    EXPECT_TRUE(holds(caution_of_power(cells_from(experiment(6, "a - b, a - c"))),
                      {"6 values of train.seed cannot decide 2 primary contrasts: 7 can"}));
    EXPECT_EQ(caution_of_power(cells_from(experiment(7, "a - b, a - c"))), "");
    // What else varies, and stands in no column, multiplies the tests.
    EXPECT_TRUE(holds(
        caution_of_power(cells_from(experiment(6, "a - b", ", encoding.base: [100, 500, 1000, 10000]"))),
        {"4 primary contrasts: 8 can"}));
    // One seed.
    EXPECT_TRUE(
        holds(caution_of_power(cells_from("vary: {arm: [{name: a}, {name: b}]}\ntable: {primary_column: "
                                          "[non_overlapping, 128], primary_contrasts: [a - b]}\n")),
              {"1 value of train.seed"}));
}

TEST(Power, ContrastsWithoutAPrimaryOneAreExploratory) {
    const std::string arms = "vary: {arm: [{name: a}, {name: b}]}\n";
    EXPECT_TRUE(
        holds(caution_of_power(cells_from(arms + "table: {contrasts: [a - b]}")), {"none is primary"}));
    EXPECT_EQ(caution_of_power(cells_from(arms)), "");
}

TEST(Power, PrimaryContrastsAreContrasts) {
    const auto table = cells_from(experiment(6, "a - b, 'c - *'")).front().recipe.table;
    EXPECT_EQ(table.primary_contrasts, (std::vector<std::string>{"a - b", "c - a", "c - b"}));
    EXPECT_EQ(table.contrasts, table.primary_contrasts);
}

TEST(Power, RefusesWhatCannotBeAnswered) {
    const std::string arms =
        "vary: {arm: [{name: a}, {name: b}]}\nevaluate: {protocols: [same_target], lengths: "
        "[16, 32]}\n";
    const auto refused = [&](const std::string& table) { return refusal(arms + "table: {" + table + "}\n"); };
    EXPECT_TRUE(
        holds(refused("primary_contrasts: [a - b]"), {"table.primary_contrasts", "table.primary_column"}));
    EXPECT_TRUE(
        holds(refused("primary_column: [same_target]"), {"table.primary_column", "expected 2 values", "1"}));
    EXPECT_TRUE(
        holds(refused("primary_column: [same_target, 64]"), {"table.primary_column", "'64'", "16, 32"}));
    EXPECT_TRUE(holds(refused("primary_column: [sliding, 32]"),
                      {"table.primary_column", "'sliding'", "same_target"}));
    EXPECT_TRUE(holds(refused("primary_column: [same_target, 32], primary_contrasts: [a - d]"),
                      {"table.primary_contrasts", "no arm 'd'"}));
}

}  // namespace
}  // namespace locus
