// Means, intervals and what is missing.
#include "tests/recipes/engine/report/support.h"

namespace locus {
namespace {

const std::string in_range = "non_overlapping 64 (1x)", twice = "non_overlapping 128 (2x)";

TEST(Table, MeansWithStudentIntervalsOverSeeds) {
    Scratch scratch;
    write_runs(scratch.path(),
               {run_of("rope", 0, {1, 5}), run_of("rope", 1, {2, 6}), run_of("rope", 2, {4, 7}),
                run_of("alibi", 0, {9, 3}), run_of("alibi", 1, {9.5, 3}), run_of("alibi", 2, {9, 4})});
    const Table table = make_table(scratch.path());
    ASSERT_EQ(table.rows.size(), 2u);
    EXPECT_EQ(table.rows[0].label, "rope");  // the recipe's order, by index
    EXPECT_EQ(table.columns[0].label, in_range);
    EXPECT_EQ(table.columns[1].label, twice);
    const TableCell& cell = cell_at(table, "rope", in_range);
    EXPECT_DOUBLE_EQ(*cell.mean, 7.0 / 3);
    const double half = 4.30265272974946385 * std::sqrt(14.0 / 3 / 2 / 3);
    EXPECT_NEAR(cell.interval->high - *cell.mean, half, 1e-12);
    EXPECT_EQ(cell.runs, (std::vector<std::string>{"rope,seed=0", "rope,seed=1", "rope,seed=2"}));
    EXPECT_EQ(cell.state, "ok");
    EXPECT_EQ(table.warning, "");
    EXPECT_TRUE(says(table.definitions, {"Student's t", "train.seed", "0, 1, 2", "n = 3"}));
    EXPECT_TRUE(
        says(table.definitions, {"non_overlapping", "longer windows look better for free", "split valid",
                                 "unit: byte", "BOS: none", "tail: scored", "documents: 7", "500"}));
    EXPECT_TRUE(says(table.definitions, {"bits per byte", "lower is better"}));
    EXPECT_NE(text_of(table, "md").find("**2.3333** \u00b1 " + fmt::format("{:.4f}", half)),
              std::string::npos);
}

TEST(Table, BoldMeansNotToldFromTheBest) {
    Scratch scratch;
    write_runs(scratch.path(),
               {run_of("rope", 0, {1.00, 3}), run_of("rope", 1, {1.02, 3}), run_of("t5", 0, {1.02, 4}),
                run_of("t5", 1, {1.01, 4}), run_of("nope", 0, {2.0, 9}), run_of("nope", 1, {2.01, 9})});
    const Table table = make_table(scratch.path());
    EXPECT_TRUE(cell_at(table, "rope", in_range).best);
    EXPECT_TRUE(cell_at(table, "t5", in_range).best);
    EXPECT_FALSE(cell_at(table, "nope", in_range).best);
    EXPECT_FALSE(cell_at(table, "t5", twice).best);  // no spread: 4 is told from 3
    EXPECT_TRUE(says(table.notes, {"undecided at " + in_range, "rope and t5"}));
    EXPECT_FALSE(says(table.notes, {"nope and"}));
}

TEST(Table, OneSeedHasNoInterval) {
    Scratch scratch;
    write_runs(scratch.path(), {run_of("rope", 0, {1, 5}), run_of("alibi", 0, {2, 3})});
    const Table table = make_table(scratch.path());
    for (const TableCell& cell : table.cells) EXPECT_FALSE(cell.interval.has_value());
    EXPECT_TRUE(cell_at(table, "rope", in_range).best);
    EXPECT_TRUE(cell_at(table, "alibi", twice).best);
    EXPECT_TRUE(says(table.notes, {"one seed: no interval over seeds"}));
    // 0.07 nats of the run's own interval are 0.1010 bits.
    EXPECT_TRUE(says(table.notes, {"one seed", "undecided", "0.1010"}));
    for (const char* format : {"md", "tex", "csv", "json"}) {
        const std::string text = text_of(table, format);
        EXPECT_EQ(text.find("\u00b1"), std::string::npos);
        EXPECT_EQ(text.find("\\pm"), std::string::npos);
    }
}

TEST(Table, ADivergedRunIsSkippedAndNamed) {
    Scratch scratch;
    FakeRun bad = run_of("sinusoidal", 0, {nan_value, nan_value});
    write_runs(scratch.path(),
               {run_of("rope", 0, {2, 5}), run_of("alibi", 0, {2.5, 3}), bad, run_of("t5", 0, {2.2, 4})});
    const Table table = make_table(scratch.path());
    const TableCell& cell = cell_at(table, "sinusoidal", in_range);
    EXPECT_FALSE(cell.mean.has_value());
    EXPECT_EQ(cell.state, "diverged");
    EXPECT_FALSE(cell.best);
    EXPECT_TRUE(cell_at(table, "rope", in_range).best);
    EXPECT_TRUE(says(table.notes, {"sinusoidal", "diverged", "never bold"}));
    const auto json = nlohmann::json::parse(text_of(table, "json"));
    EXPECT_TRUE(json["cells"][4]["mean"].is_null());
    EXPECT_EQ(json["cells"][4]["state"], "diverged");
    EXPECT_EQ(text_of(table, "md").find("nan"), std::string::npos);
}

TEST(Table, AMeanOverFewerRunsSaysSo) {
    Scratch scratch;
    FakeRun failed = run_of("rope", 1, {0.1, 0.1});  // its numbers are of an earlier state and must not count
    failed.manifest["state"] = "failed";
    failed.manifest["failure"] = "loss is not finite at step 40";
    write_runs(scratch.path(), {run_of("rope", 0, {1, 5}), failed, run_of("rope", 2, {3, 5}),
                                run_of("alibi", 0, {4, 3}), run_of("alibi", 1, {4.5, 3})});
    const Table table = make_table(scratch.path());
    const TableCell& rope = cell_at(table, "rope", in_range);
    EXPECT_DOUBLE_EQ(*rope.mean, 2);
    EXPECT_EQ(rope.state, "partial");
    EXPECT_FALSE(rope.best);
    EXPECT_FALSE(rope.values[1].has_value());
    EXPECT_TRUE(says(table.notes,
                     {"rope", "mean of 2 of 3 runs", "rope,seed=1 failed: loss is not finite at step 40"}));
    EXPECT_NE(text_of(table, "md").find("(2 of 3)"), std::string::npos);
    const TableCell& alibi = cell_at(table, "alibi", in_range);  // a folder that is not there at all
    EXPECT_EQ(alibi.runs[2], "seed=2");
    EXPECT_TRUE(says(table.notes, {"alibi", "mean of 2 of 3 runs", "seed=2 missing"}));
}

TEST(Table, LengthsBeyondATableAreDashes) {
    Scratch scratch;
    write_runs(scratch.path(), {run_of("rope", 0, {1, 5}), run_of("learned", 0, {2, nan_value})});
    const Table table = make_table(scratch.path());
    EXPECT_EQ(cell_at(table, "learned", twice).state, "beyond_table");
    EXPECT_TRUE(says(table.notes, {"\u2014", "beyond_table", "learned at " + twice}));
    EXPECT_NE(text_of(table, "md").find("\u2014 |"), std::string::npos);
    EXPECT_NE(text_of(table, "tex").find("& --- \\\\"), std::string::npos);
}

TEST(Table, RunsWithoutEvaluationsLeaveRows) {
    Scratch scratch;
    FakeRun running = run_of("t5", 0, {});
    running.evaluated = false;
    running.manifest["state"] = "running";
    write_runs(scratch.path(), {run_of("rope", 0, {1, 5}), running});
    const Table table = make_table(scratch.path());
    EXPECT_EQ(cell_at(table, "t5", twice).state, "running");
    EXPECT_TRUE(says(table.notes, {"t5", "no number", "running"}));
    std::filesystem::remove(scratch.path() / "t5,seed=0" / "manifest.json");
    EXPECT_EQ(cell_at(make_table(scratch.path()), "t5", twice).state, "without a manifest");
}

TEST(Table, AnExperimentWithoutAnyEvaluationIsATableWithoutColumns) {
    Scratch scratch;
    FakeRun run = run_of("t5", 0, {});
    run.evaluated = false;
    write_runs(scratch.path(), {run});
    const Table table = make_table(scratch.path());
    EXPECT_EQ(table.rows.size(), 1u);
    EXPECT_TRUE(table.columns.empty());
    EXPECT_TRUE(says(table.notes, {"nothing to show", "t5,seed=0 has no evaluation"}));
    EXPECT_NO_THROW(nlohmann::json::parse(text_of(table, "json")));
}

TEST(Table, ASingleRunFolderIsItsOwnTable) {
    Scratch scratch;
    FakeRun run = run_of("rope", 0, {1, 5});
    run.write(scratch.path() / "rope");
    const Table table = make_table(scratch.path() / "rope");
    EXPECT_EQ(*cell_at(table, "rope", in_range).mean, 1);
    EXPECT_FALSE(cell_at(table, "rope", in_range).best);  // of nothing
}

TEST(Table, WhatAnEvaluationRecordedIsPassedOn) {
    Scratch scratch;
    write_runs(scratch.path(), {run_of("rope", 0, {1, 5}), run_of("rope", 1, {1, 5}),
                                run_of("alibi", 0, {2, 3}), run_of("alibi", 1, {2, 3})});
    const auto add = [&](const std::string& name, const nlohmann::json& effective,
                         const nlohmann::json& beyond = nullptr) {
        const auto path = scratch.path() / name / "evaluations" / "summary.json";
        nlohmann::json summary = nlohmann::json::parse(read_text(path));
        nlohmann::json run = summary["runs"][0];
        run["protocol"] = "same_target";
        run["baseline_context"] = 96;
        run["effective_context"] = effective;
        run["effective_context_none_beyond"] = beyond;
        run["notes"] = {"30 targets instead of 2048"};
        summary["runs"].push_back(run);
        write_text(path, summary.dump());
    };
    add("rope,seed=0", 64);
    add("rope,seed=1", nullptr, 64);
    add("alibi,seed=0", nullptr);
    add("alibi,seed=1", 128);
    const Table table = make_table(scratch.path());
    EXPECT_TRUE(says(table.notes, {"effective context", "rope 64, none beyond 64; alibi not known, 128"}));
    EXPECT_TRUE(says(table.notes, {"same_target: 30 targets instead of 2048"}));
    EXPECT_TRUE(says(table.definitions, {"same_target", "loss(96) - loss(c)"}));
}

}  // namespace
}  // namespace locus
