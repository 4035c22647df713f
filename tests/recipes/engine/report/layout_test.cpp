// Rows, columns, and the order of both.
#include "tests/recipes/engine/report/support.h"

namespace locus {
namespace {

nlohmann::json evaluation(const std::string& protocol, const std::string& split, nlohmann::json results) {
    return {{"protocol", protocol}, {"split", split}, {"results", std::move(results)}};
}

/// Lengths as given, out of order, in three protocols and two splits.
nlohmann::json many_protocols(double shift) {
    using J = nlohmann::json;
    const auto at = [&](const char* key, const J& where, double bits, const J& gain = nullptr) {
        return J{{key, where}, {"bits_per_byte", bits + shift}, {"nats_per_token", 1.0}, {"gain", gain}};
    };
    J runs = J::array();
    runs.push_back(evaluation("per_position", "valid", J::array({at("bin", J::array({0, 8}), 9)})));
    runs.push_back(evaluation("same_target", "valid",
                              J::array({at("context", 128, 2, 0.5 - shift), at("context", 64, 3, 0.0)})));
    runs.push_back(evaluation("sliding:16", "valid", J::array({at("length", 1024, 4), at("length", 64, 5)})));
    runs.push_back(evaluation("non_overlapping", "valid", J::array({at("length", 96, 6)})));
    runs.push_back(evaluation("non_overlapping", "test", J::array({at("length", 96, 7)})));
    return {{"runs", runs}};
}

void write_protocols(const std::filesystem::path& folder, const std::string& table) {
    for (const std::string arm : {"rope", "alibi"}) {
        FakeRun run = run_of(arm, 0, {});
        run.table = table;
        run.index = arm == "rope" ? 0 : 1;
        run.recipe_extra = "mask: {window: 9}\n";
        run.write(folder / run.name());
        write_text(folder / run.name() / "evaluations" / "summary.json",
                   many_protocols(arm == "rope" ? 0 : 0.25).dump());
    }
}

std::vector<std::string> labels(const std::vector<TableKey>& keys) {
    std::vector<std::string> texts;
    for (const TableKey& key : keys) texts.push_back(key.label);
    return texts;
}

TEST(Layout, ProtocolsInTheRecipesOrderAndLengthsByNumber) {
    Scratch scratch;
    write_protocols(scratch.path(), "{rows: arm, columns: [protocol, length]}");
    const Table table = make_table(scratch.path());
    EXPECT_EQ(
        labels(table.columns),
        (std::vector<std::string>{"non_overlapping 96 (1.5x)", "same_target 64 (1x)", "same_target 128 (2x)",
                                  "sliding:16 64 (1x)", "sliding:16 1024 (16x)"}));
    EXPECT_EQ(*cell_at(table, "alibi", "non_overlapping 96 (1.5x)").mean, 6.25);  // valid, not test
    EXPECT_TRUE(says(table.notes, {"split test", "not shown"}));
    EXPECT_TRUE(says(table.notes, {"per_position", "not shown"}));
}

TEST(Layout, LengthsBelowTheTrainedOneAreItsParts) {
    Scratch scratch;
    const auto write = [&](const std::vector<Index>& lengths) {
        for (const std::string arm : {"rope", "alibi"}) {
            FakeRun run = run_of(arm, 0, {});
            run.write(scratch.path() / run.name());
            nlohmann::json results = nlohmann::json::array();
            for (const Index length : lengths)
                results.push_back({{"length", length},
                                   {"bits_per_byte", arm == "rope" ? 2.0 : 2.5},
                                   {"nats_per_token", 1.0},
                                   {"interval", {0.9, 1.1}}});
            const nlohmann::json runs = {evaluation("non_overlapping", "valid", results)};
            write_text(scratch.path() / run.name() / "evaluations" / "summary.json",
                       nlohmann::json{{"runs", runs}}.dump());
        }
        return make_table(scratch.path());
    };
    const Table table = write({8, 24, 32, 64, 128});
    EXPECT_EQ(labels(table.columns),
              (std::vector<std::string>{"non_overlapping 8 (1/8x)", "non_overlapping 24 (0.375x)",
                                        "non_overlapping 32 (1/2x)", "non_overlapping 64 (1x)",
                                        "non_overlapping 128 (2x)"}));
    // What is said of one column is said of the trained length, else of the longest below it.
    EXPECT_TRUE(says(table.notes, {"half-width at non_overlapping 64 (1x)"}));
    EXPECT_TRUE(says(write({8, 32, 128}).notes, {"half-width at non_overlapping 32 (1/2x)"}));
    EXPECT_TRUE(says(write({128, 256}).notes, {"half-width at non_overlapping 128 (2x)"}));
}

TEST(Layout, GainIsAMetricAndGrows) {
    Scratch scratch;
    write_protocols(scratch.path(), "{rows: arm, columns: [protocol, length], cell: gain}");
    const Table table = make_table(scratch.path());
    EXPECT_EQ(labels(table.columns),
              (std::vector<std::string>{"same_target 64 (1x)", "same_target 128 (2x)"}));
    EXPECT_TRUE(cell_at(table, "rope", "same_target 128 (2x)").best);
    EXPECT_FALSE(cell_at(table, "alibi", "same_target 128 (2x)").best);
    EXPECT_FALSE(cell_at(table, "rope", "same_target 64 (1x)").best);  // all are 0 there
    EXPECT_TRUE(says(table.definitions, {"higher is better"}));
}

TEST(Layout, LengthsMayBeRowsAndArmsColumns) {
    Scratch scratch;
    write_protocols(scratch.path(), "{rows: length, columns: [protocol, arm]}");
    const Table table = make_table(scratch.path());
    EXPECT_EQ(labels(table.rows),
              (std::vector<std::string>{"64 (1x)", "96 (1.5x)", "128 (2x)", "1024 (16x)"}));
    ASSERT_EQ(table.columns.size(), 6u);
    EXPECT_EQ(table.columns[1].label, "non_overlapping alibi");
    EXPECT_EQ(*cell_at(table, "1024 (16x)", "sliding:16 alibi").mean, 4.25);
    EXPECT_EQ(cell_at(table, "1024 (16x)", "non_overlapping rope").state, "not evaluated");
    for (const TableCell& cell : table.cells) EXPECT_FALSE(cell.best);  // lengths do not compete
}

TEST(Layout, WhatVariesBesideTheAxesNamesItsRow) {
    Scratch scratch;
    int index = 0;
    for (const double lr : {0.01, 0.001}) {
        for (const int seed : {0, 1}) {
            FakeRun run = run_of("rope", seed, {lr * 100 + seed, 1});
            run.lr = lr;
            run.index = index++;
            const std::string name = "rope,lr=" + std::to_string(lr) + ",seed=" + std::to_string(seed);
            run.write(scratch.path() / name);
            write_text(scratch.path() / name / "recipe.yaml",
                       run.recipe() + "  train.lr: " + std::to_string(lr) + "\n");
        }
    }
    const Table table = make_table(scratch.path());
    EXPECT_EQ(labels(table.rows), (std::vector<std::string>{"rope lr=0.010000", "rope lr=0.001000"}));
    EXPECT_DOUBLE_EQ(*cell_at(table, "rope lr=0.010000", "non_overlapping 64 (1x)").mean, 1.5);
    EXPECT_EQ(table.warning, "");  // the learning rate is declared
}

TEST(Layout, WithoutIndexRowsAreInNaturalOrder) {
    Scratch scratch;
    for (const int width : {128, 32, 64}) {
        FakeRun run = run_of("rope", 0, {1.0 * width, 1});
        run.table = "{rows: model.width, columns: [length]}";
        const auto folder = scratch.path() / ("width=" + std::to_string(width));
        run.write(folder);
        std::string recipe = run.recipe();
        recipe.replace(recipe.find("  arm: rope"), std::string::npos,
                       "  model.width: " + std::to_string(width) + "\n");
        write_text(folder / "recipe.yaml", recipe);
        write_text(folder / "manifest.json", "{}");
    }
    const Table table = make_table(scratch.path());
    EXPECT_EQ(labels(table.rows), (std::vector<std::string>{"width=32", "width=64", "width=128"}));
    EXPECT_EQ(table.columns[0].label, "non_overlapping 64 (1x)");  // a protocol is always named
    EXPECT_EQ(*cell_at(table, "width=64", "non_overlapping 64 (1x)").mean, 64);
}

// What a protocol of another program measured along two axes.
nlohmann::json needle(double shift) {
    nlohmann::json results = nlohmann::json::array();
    for (const Index length : {64, 128})
        for (const Index depth : {50, 0})
            results.push_back({{"length", length},
                               {"depth", depth},
                               {"bits_per_byte", shift + static_cast<double>(length + depth)},
                               {"tokens", 9}});
    nlohmann::json run = evaluation("needle", "valid", results);
    run["axes"] = {"length", "depth"};
    run["axis"] = "length";
    run["metrics"] = {"bits_per_byte"};
    return {{"runs", nlohmann::json::array({run})}};
}

TEST(Layout, AnyCoordinateIsAnAxis) {
    const auto make = [](const std::filesystem::path& path, const std::string& layout) {
        for (const std::string arm : {"rope", "alibi"}) {
            FakeRun run = run_of(arm, 0, {});
            run.table = layout;
            run.index = arm == "rope" ? 0 : 1;
            run.write(path / run.name());
            write_text(path / run.name() / "evaluations" / "summary.json",
                       needle(arm == "rope" ? 0 : 0.25).dump());
        }
        return make_table(path);
    };
    Scratch scratch;
    // An axis that is laid out nowhere becomes a column, so that no mean runs over it.
    Table table = make(scratch.path(), "{rows: arm, columns: [protocol, length]}");
    EXPECT_EQ(labels(table.columns),
              (std::vector<std::string>{"needle 64 (1x) depth=0", "needle 64 (1x) depth=50",
                                        "needle 128 (2x) depth=0", "needle 128 (2x) depth=50"}));
    EXPECT_EQ(*cell_at(table, "alibi", "needle 128 (2x) depth=50").mean, 178.25);
    table = make(scratch.path(), "{rows: depth, columns: [arm, length]}");
    EXPECT_EQ(labels(table.rows), (std::vector<std::string>{"depth=0", "depth=50"}));
    EXPECT_EQ(*cell_at(table, "depth=50", "needle rope 64 (1x)").mean, 114);
    for (const TableCell& cell : table.cells) EXPECT_FALSE(cell.best);  // depths do not compete
    table = make(scratch.path(), "{rows: arm, columns: [depth, length]}");
    EXPECT_EQ(table.columns[1].label, "needle depth=0 128 (2x)");
    EXPECT_TRUE(says(table.definitions, {"needle: as recorded"}));
}

// Only what has a context has a place in a table by context.
TEST(Layout, AnAxisOfOneProtocolHidesTheOthers) {
    Scratch scratch;
    write_protocols(scratch.path(), "{rows: arm, columns: [context]}");
    const Table table = make_table(scratch.path());
    EXPECT_EQ(labels(table.columns),
              (std::vector<std::string>{"same_target 64 (1x)", "same_target 128 (2x)"}));
    EXPECT_TRUE(says(table.notes, {"non_overlapping is not shown", "no such coordinates"}));
}

TEST(Layout, PositionsAreATableWhereNothingElseIsThere) {
    Scratch scratch;
    FakeRun run = run_of("rope", 0, {});
    run.write(scratch.path() / run.name());
    using J = nlohmann::json;
    const J results =
        J::array({{{"bin", {8, 64}}, {"bits_per_byte", 2.0}}, {{"bin", {0, 8}}, {"bits_per_byte", 3.0}}});
    write_text(scratch.path() / run.name() / "evaluations" / "summary.json",
               J{{"runs", J::array({evaluation("per_position", "valid", results)})}}.dump());
    const Table table = make_table(scratch.path());
    EXPECT_EQ(labels(table.columns),
              (std::vector<std::string>{"per_position [0, 8)", "per_position [8, 64)"}));
}

}  // namespace
}  // namespace locus
