// Paired differences of arms: run by run, with intervals over the runs, and "undecided" where these hold 0.
#include "recipes/engine/statistics/statistics.h"
#include "tests/recipes/engine/report/support.h"

namespace locus {
namespace {

const std::string at_trained = "non_overlapping 64 (1x)", at_double = "non_overlapping 128 (2x)";

// `primary`: the length at which the question is answered.
FakeRun compared(const std::string& arm, int seed, std::vector<double> bits, int primary = 128) {
    FakeRun run = run_of(arm, seed, std::move(bits));
    run.table =
        "{rows: arm, columns: [protocol, length], cell: bits_per_byte, over: train.seed, contrasts: [yarn - "
        "plain], primary_contrasts: [yarn - plain], primary_column: [non_overlapping, " +
        std::to_string(primary) + "]}";
    return run;
}

const TableContrast& contrast_at(const Table& table, const std::string& column) {
    for (const TableContrast& contrast : table.contrasts)
        if (contrast.column == column) return contrast;
    ADD_FAILURE() << "no contrast at " << column;
    static const TableContrast none;
    return none;
}

// The arms' own intervals overlap wide: only pairs by seed tell them apart.
TEST(Contrasts, ArePairedBySeed) {
    Scratch scratch;
    write_runs(scratch.path(), {compared("plain", 0, {1, 5}), compared("plain", 1, {2, 6}),
                                compared("plain", 2, {4, 7}), compared("yarn", 0, {1.1, 4}),
                                compared("yarn", 1, {1.9, 5.5}), compared("yarn", 2, {4.05, 5.5})});
    const Table table = make_table(scratch.path());
    ASSERT_EQ(table.contrasts.size(), 2u);
    EXPECT_GT(cell_at(table, "yarn", at_double).interval->high,
              cell_at(table, "plain", at_double).interval->low);
    const TableContrast& far = contrast_at(table, at_double);
    EXPECT_EQ(far.row, "yarn - plain");
    EXPECT_EQ(far.values, (std::vector<std::optional<double>>{-1.0, -0.5, -1.5}));
    EXPECT_DOUBLE_EQ(*far.mean, -1);
    const double half = 4.30265272974946385 * std::sqrt(0.25 / 3);  // above 1: it holds 0
    EXPECT_NEAR(far.interval->high, -1 + half, 1e-12);
    EXPECT_FALSE(far.told());
    EXPECT_DOUBLE_EQ(*far.p, 0.25);
    EXPECT_DOUBLE_EQ(*far.p_holm, 0.25);  // of the one primary contrast
    EXPECT_FALSE(contrast_at(table, at_trained).p_holm.has_value());
    const std::string text = text_of(table, "md");
    EXPECT_NE(text.find("-1.0000 \u00b1 " + fmt::format("{:.4f}", half) + " undecided"), std::string::npos)
        << text;
    EXPECT_NE(text.find("Paired differences"), std::string::npos);
    EXPECT_TRUE(says(table.notes, {"paired by train.seed", "bits per byte", "below 0 is for A", "n = 3"}));
    EXPECT_TRUE(says(table.answer, {"undecided at " + at_double, "the interval holds 0"}));
    EXPECT_TRUE(says(table.answer, {"0 of 1 primary contrast decided"}));
}

TEST(Contrasts, ThreePairsDecideNothing) {
    Scratch scratch;
    write_runs(scratch.path(),
               {compared("plain", 0, {1, 5}), compared("plain", 1, {2, 6}), compared("plain", 2, {4, 7}),
                compared("yarn", 0, {1, 4}), compared("yarn", 1, {2, 5.1}), compared("yarn", 2, {4, 6})});
    const Table table = make_table(scratch.path());
    EXPECT_TRUE(contrast_at(table, at_double).told());
    EXPECT_FALSE(contrast_at(table, at_trained).told());  // no difference at all
    const auto json = nlohmann::json::parse(text_of(table, "json"));
    ASSERT_EQ(json["contrasts"].size(), 2u);
    EXPECT_EQ(json["contrasts"][0]["verdict"], "undecided");
    EXPECT_EQ(json["contrasts"][1]["verdict"], "undecided");
    EXPECT_TRUE(says(table.answer, {"3 pairs cannot decide 1 primary contrast, 6 can"}));
    // Bold says the same, though the interval leaves out 0.
    EXPECT_TRUE(cell_at(table, "yarn", at_double).best && cell_at(table, "plain", at_double).best);
    EXPECT_EQ(json["contrasts"][1]["contrast"], "yarn - plain");
    EXPECT_NE(text_of(table, "md").find("0.0000 \u00b1 0.0000 undecided"), std::string::npos);
}

TEST(Contrasts, ManySeedsAreDecidedByTheTest) {
    Scratch scratch;
    std::vector<FakeRun> runs;
    for (int seed = 0; seed < 8; ++seed) {
        runs.push_back(compared("plain", seed, {1.0 + seed, 5.0 + seed}));
        runs.push_back(compared("yarn", seed, {1.0 + seed + (seed % 2 == 0 ? 0.1 : -0.1), 4.0 + seed}));
    }
    write_runs(scratch.path(), runs);
    const Table table = make_table(scratch.path());
    EXPECT_DOUBLE_EQ(*contrast_at(table, at_double).p, 2.0 / 256);
    EXPECT_DOUBLE_EQ(*contrast_at(table, at_double).p_holm, 2.0 / 256);
    EXPECT_EQ(contrast_at(table, at_double).verdict, Verdict::decided);
    EXPECT_TRUE(says(table.answer, {"decided at " + at_double, "yarn is better than plain", "-1.0000"}));
    EXPECT_TRUE(says(table.answer, {"1 of 1 primary contrast decided", "exploratory"}));
    EXPECT_TRUE(cell_at(table, "yarn", at_double).best);
    EXPECT_FALSE(cell_at(table, "plain", at_double).best);
}

TEST(Contrasts, OneSeedAndMissingRuns) {
    Scratch scratch;
    write_runs(scratch.path(), {compared("plain", 0, {1, 5}), compared("yarn", 0, {1.5, nan_value})});
    const Table table = make_table(scratch.path());
    EXPECT_DOUBLE_EQ(*contrast_at(table, at_trained).mean, 0.5);
    EXPECT_FALSE(contrast_at(table, at_trained).interval.has_value());
    EXPECT_FALSE(contrast_at(table, at_double).mean.has_value());
    const std::string text = text_of(table, "md");
    EXPECT_NE(text.find("+0.5000 undecided"), std::string::npos) << text;
    EXPECT_NE(text.find("no pair of runs"), std::string::npos) << text;
    EXPECT_TRUE(says(table.answer, {"no pair of runs: yarn - plain at " + at_double}));
}

// Four seeds, of which two have both arms at 64 and three at 128: n is what was paired, not what there might
// be.
TEST(Contrasts, NIsThePairsThatWereUsed) {
    Scratch scratch;
    std::vector<FakeRun> runs;
    for (int seed = 0; seed < 4; ++seed) {
        runs.push_back(compared("plain", seed, {seed == 1 ? nan_value : 1.0 + seed, 5.0 + seed}));
        runs.push_back(
            compared("yarn", seed,
                     {seed == 2 ? nan_value : 2.5 * (seed + 1), seed == 3 ? nan_value : 3.0 + 2 * seed}));
    }
    write_runs(scratch.path(), runs);
    const Table table = make_table(scratch.path());
    EXPECT_EQ(contrast_at(table, at_trained).pairs(), 2u);
    EXPECT_EQ(contrast_at(table, at_double).pairs(), 3u);
    EXPECT_DOUBLE_EQ(*contrast_at(table, at_trained).p, 0.5);
    EXPECT_TRUE(says(table.notes, {"n = 2 to 3 pairs"}));
    EXPECT_TRUE(says(table.answer, {"(n = 3)"}));
    const std::string markdown = text_of(table, "md");
    EXPECT_NE(markdown.find("(2 of 4)"), std::string::npos) << markdown;
    EXPECT_NE(markdown.find("(3 of 4)"), std::string::npos);
    EXPECT_NE(text_of(table, "tex").find("(2 of 4)"), std::string::npos);
    const auto json = nlohmann::json::parse(text_of(table, "json"));
    EXPECT_EQ(json["contrasts"][0]["n"], 2);
    EXPECT_EQ(json["contrasts"][1]["n"], 3);
    const std::string csv = text_of(table, "csv");
    EXPECT_NE(csv.find(",2,4,partial,"), std::string::npos) << csv;
}

// Above 20 runs the test still speaks.
TEST(Contrasts, ManyRunsDoNotSilenceTheTest) {
    for (const int seeds : {21, 33}) {
        for (const int primary : {64, 128}) {
            Scratch scratch;
            std::vector<FakeRun> runs;
            for (int seed = 0; seed < seeds; ++seed) {
                runs.push_back(compared("plain", seed, {2.0, 3.0}, primary));
                runs.push_back(compared(
                    "yarn", seed, {2.0 - 0.1 * (seed % 3), 3.0 + (seed % 2 == 0 ? 0.1 : -0.1)}, primary));
            }
            write_runs(scratch.path(), runs);
            const Table table = make_table(scratch.path());
            const Verdict there = primary == 64 ? Verdict::decided : Verdict::undecided;
            EXPECT_EQ(contrast_at(table, primary == 64 ? at_trained : at_double).verdict, there);
            if (primary == 64) {
                EXPECT_TRUE(
                    says(table.answer, {sign_flip_method(static_cast<std::size_t>(seeds)), "decided"}));
            }
        }
    }
}

// What is not primary is never decided, however many runs there are; without a primary contrast, nothing is.
TEST(Contrasts, WhatIsNotPrimaryIsExploratory) {
    for (const bool named : {false, true}) {
        Scratch scratch;
        std::vector<FakeRun> runs;
        for (int seed = 0; seed < 10; ++seed) {
            runs.push_back(compared("plain", seed, {2.0 + seed, 3.0 + seed}));
            runs.push_back(compared("yarn", seed, {1.0 + seed, 2.0 + seed + 0.01 * (seed % 3)}));
        }
        if (!named)
            for (FakeRun& run : runs)
                run.table =
                    "{rows: arm, columns: [protocol, length], cell: bits_per_byte, over: train.seed, "
                    "contrasts: "
                    "[yarn - plain]}";
        write_runs(scratch.path(), runs);
        const Table table = make_table(scratch.path());
        EXPECT_EQ(contrast_at(table, at_trained).verdict, Verdict::exploratory);
        EXPECT_EQ(contrast_at(table, at_double).verdict, named ? Verdict::decided : Verdict::exploratory);
    }
}

// A primary contrast without runs makes the other no easier to decide: 2 / 2^6 twice is above 0.05.
TEST(Contrasts, TheCorrectionIsOverAllThatAreNamed) {
    for (const bool alone : {true, false}) {
        for (const bool has_runs : {false, true}) {
            Scratch scratch;
            std::vector<FakeRun> runs;
            for (int seed = 0; seed < 6; ++seed) {
                runs.push_back(compared("plain", seed, {1.0, 5.0 + seed}));
                runs.push_back(compared("yarn", seed, {1.0, 4.0 + seed + 0.001 * seed}));
                if (has_runs) runs.push_back(compared("ntk", seed, {1.0, nan_value}));
            }
            if (!alone)
                for (FakeRun& run : runs)
                    run.table =
                        "{rows: arm, columns: [protocol, length], cell: bits_per_byte, over: train.seed, "
                        "contrasts: [yarn - plain, ntk - plain], primary_contrasts: [yarn - plain, ntk - "
                        "plain], "
                        "primary_column: [non_overlapping, 128]}";
            write_runs(scratch.path(), runs);
            const Table table = make_table(scratch.path());
            const TableContrast& named = contrast_at(table, at_double);
            EXPECT_EQ(named.verdict, alone ? Verdict::decided : Verdict::undecided);
            EXPECT_DOUBLE_EQ(*named.p_holm, alone ? 2.0 / 64 : 4.0 / 64);
            if (!alone) {
                EXPECT_TRUE(says(table.answer, {"6 pairs cannot decide 2 primary contrasts, 7 can"}));
            }
        }
    }
}

// The verdict on the differences of one table, as four formats write it.
TEST(Contrasts, FormatsAgreeOnVerdicts) {
    Scratch scratch;
    std::vector<FakeRun> runs;
    for (int seed = 0; seed < 7; ++seed) {
        runs.push_back(compared("plain", seed, {1.0, 5.0 + seed}));
        runs.push_back(
            compared("yarn", seed, {1.0 + (seed % 2 == 0 ? 0.1 : -0.1), 4.0 + seed + 0.001 * seed}));
    }
    write_runs(scratch.path(), runs);
    const Table table = make_table(scratch.path());
    const auto json = nlohmann::json::parse(text_of(table, "json"));
    EXPECT_EQ(json["contrasts"][0]["verdict"], "undecided");
    EXPECT_EQ(json["contrasts"][1]["verdict"], "decided");
    EXPECT_EQ(json["contrasts"][1]["primary"], true);
    EXPECT_EQ(json["answer"], table.answer);
    const std::string csv = text_of(table, "csv"), md = text_of(table, "md"), tex = text_of(table, "tex");
    EXPECT_NE(csv.find("yarn - plain,false,1,,undecided,"), std::string::npos) << csv;
    EXPECT_NE(csv.find("yarn - plain,true,0.015625,0.015625,decided,"), std::string::npos) << csv;
    EXPECT_NE(md.find(" decided (primary)"), std::string::npos) << md;
    EXPECT_NE(md.find("- decided at " + at_double), std::string::npos) << md;
    EXPECT_NE(tex.find(" !"), std::string::npos) << tex;
    EXPECT_NE(tex.find("decided at "), std::string::npos);
}

// Bold, contrast and the list of the undecided never disagree.
TEST(Contrasts, BoldFollowsThePairedDifference) {
    Scratch scratch;
    write_runs(scratch.path(), {compared("plain", 0, {1.1, 5}), compared("plain", 1, {2.1, 6}),
                                compared("plain", 2, {4.1, 7}), compared("yarn", 0, {1.0, 4.9}),
                                compared("yarn", 1, {2.01, 6.1}), compared("yarn", 2, {4.0, 6.9})});
    const Table table = make_table(scratch.path());
    // The intervals over seeds overlap wide, the differences do not hold 0.
    EXPECT_EQ(contrast_at(table, at_trained).verdict, Verdict::exploratory);
    EXPECT_TRUE(cell_at(table, "yarn", at_trained).best);
    EXPECT_FALSE(cell_at(table, "plain", at_trained).best);
    EXPECT_FALSE(says(table.notes, {"undecided at " + at_trained}));
    EXPECT_EQ(contrast_at(table, at_double).verdict, Verdict::undecided);
    EXPECT_TRUE(cell_at(table, "yarn", at_double).best && cell_at(table, "plain", at_double).best);
}

TEST(Contrasts, ArmsMayBeColumns) {
    Scratch scratch;
    std::vector<FakeRun> runs = {compared("plain", 0, {1, 5}), compared("yarn", 0, {1.5, 3})};
    for (FakeRun& run : runs)
        run.table =
            "{rows: encoding.kind, columns: [arm, length], cell: bits_per_byte, over: train.seed, contrasts: "
            "[yarn - plain]}";
    for (FakeRun& run : runs) run.encoding = "rope";
    write_runs(scratch.path(), runs);
    const Table table = make_table(scratch.path());
    EXPECT_DOUBLE_EQ(*contrast_at(table, "non_overlapping 128").mean, -2);
    EXPECT_EQ(contrast_at(table, "non_overlapping 128").row, "yarn - plain, rope");
}

TEST(SignFlip, CountsChoicesOfSigns) {
    EXPECT_DOUBLE_EQ(*sign_flip_p(std::vector<double>{1, 2, 3}), 0.25);  // both extremes of 8
    // Of 16 choices |sum| >= 2 + 3 + 4 - 1 = 8: all alike (2), only the 1 turned (2).
    EXPECT_DOUBLE_EQ(*sign_flip_p(std::vector<double>{-1, 2, 3, 4}), 0.25);
    EXPECT_DOUBLE_EQ(*sign_flip_p(std::vector<double>{0, 0}), 1);
    EXPECT_DOUBLE_EQ(*sign_flip_p(std::vector<double>{0.1, 0.2, 0.3, 0.1, 0.2, 0.3}), 2.0 / 64);
    EXPECT_FALSE(sign_flip_p(std::vector<double>{}).has_value());
    EXPECT_DOUBLE_EQ(*sign_flip_p(std::vector<double>(21, 1.0)), std::exp2(-20));
    EXPECT_DOUBLE_EQ(*sign_flip_p(std::vector<double>(30, 0.1)), std::exp2(-29));
    // One of 25 has the other sign: |sum| >= 23 of 25 is all alike (2) or one turned (2 * 25).
    std::vector<double> one_turned(25, 1.0);
    one_turned.front() = -1;
    EXPECT_DOUBLE_EQ(*sign_flip_p(one_turned), 52 * std::exp2(-25));
    // Drawn: none of 131072 choices is as far as all alike.
    EXPECT_DOUBLE_EQ(*sign_flip_p(std::vector<double>(100, 1.0)), 1.0 / 131073);
    std::vector<double> balanced;
    for (int i = 0; i < 50; ++i) balanced.push_back(i % 2 == 0 ? 1.0 : -1.0);
    EXPECT_EQ(*sign_flip_p(balanced), 1);
}

TEST(Holm, StepsDown) {
    // Worked by hand: 0.01 * 4, 0.02 * 3, max(0.06, 0.03 * 2), max(0.06, 0.04).
    const std::vector<double> corrected = holm_corrected(std::vector<double>{0.03, 0.01, 0.04, 0.02});
    const std::vector<double> expected = {0.06, 0.04, 0.06, 0.06};
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(corrected[i], expected[i], 1e-15);
    EXPECT_EQ(holm_corrected(std::vector<double>{0.9, 0.8}), (std::vector<double>{1, 1}));
}

}  // namespace
}  // namespace locus
