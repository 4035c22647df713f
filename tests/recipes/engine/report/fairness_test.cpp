// What arms must share, and where it is said that they do not.
#include "tests/recipes/engine/report/support.h"

namespace locus {
namespace {

std::vector<FakeRun> two_arms() {
    return {run_of("rope", 0, {1, 5}), run_of("rope", 1, {1.1, 5}), run_of("alibi", 0, {2, 3}),
            run_of("alibi", 1, {2.1, 3})};
}

TEST(Fairness, EqualArmsGetNoWarning) {
    Scratch scratch;
    std::vector<FakeRun> runs = two_arms();
    for (FakeRun& run : runs) {  // another seed draws another order and other values
        run.manifest["data_order_hash"] = "order" + std::to_string(run.seed);
        run.manifest["initial_value_hash"] = "values" + std::to_string(run.seed);
    }
    write_runs(scratch.path(), runs);
    const Table table = make_table(scratch.path());
    EXPECT_EQ(table.warning, "");
    EXPECT_TRUE(says(table.ledger, {"data order: the same in all arms at each train.seed"}));
    EXPECT_TRUE(says(table.ledger, {"evaluation items: the same"}));
    EXPECT_TRUE(says(table.ledger, {"training tokens: 8,192"}));
    EXPECT_EQ(first_line(text_of(table, TableFormat::markdown)), "Which?");
}

TEST(Fairness, UndeclaredDifferencesStandInTheFirstLine) {
    const std::vector<std::tuple<std::string, nlohmann::json, std::string>> differences = {
        {"data_order_hash", "xx", "data order: rope against alibi"},
        {"evaluation_items_hash", "xx", "evaluation items: rope against alibi"},
        {"initial_value_hash", "xx", "initial values"},
        {"tokens", 16384, "training tokens: 8,192 (rope), 16,384 (alibi)"}};
    for (const auto& [field, value, said] : differences) {
        Scratch scratch;
        std::vector<FakeRun> runs = two_arms();
        runs[2].manifest[field] = value;
        runs[3].manifest[field] = value;
        write_runs(scratch.path(), runs);
        const Table table = make_table(scratch.path());
        EXPECT_NE(table.warning.find(said), std::string::npos) << field << ": " << table.warning;
        for (const TableFormat format : {TableFormat::markdown, TableFormat::csv, TableFormat::tex})
            EXPECT_NE(first_line(text_of(table, format)).find(said), std::string::npos) << field;
        const auto json = nlohmann::json::parse(text_of(table, TableFormat::json));
        EXPECT_EQ(json["notes"][0], table.warning);
    }
}

// Arms that extend runs of other folders differ in what they inherit.
TEST(Fairness, WhatIsInheritedIsDeclaredByTheRunThatIsNamed) {
    for (const bool declared : {true, false}) {
        Scratch scratch;
        std::vector<FakeRun> runs = two_arms();
        for (FakeRun& run : runs) {
            run.manifest["varied"] =
                declared ? nlohmann::json{"encoding", "from.run"} : nlohmann::json{"encoding"};
            const bool rope = run.arm == "rope";
            run.recipe_extra = std::string("mask: {causal: true") + (rope ? ", window: 8}\n" : "}\n") +
                               "from: {run: " + (declared ? run.arm : "same") + ", original_length: 64}\n";
        }
        write_runs(scratch.path(), runs);
        const Table table = make_table(scratch.path());
        EXPECT_EQ(table.warning.find("mask.window") == std::string::npos, declared) << table.warning;
        EXPECT_EQ(says(table.ledger, {"mask.window: 8 (rope), none (alibi)"}), declared);
    }
}

TEST(Fairness, OtherTokensScoredStandInTheFirstLine) {
    Scratch scratch;
    std::vector<FakeRun> runs = two_arms();
    write_runs(scratch.path(), runs);
    nlohmann::json summary = runs[2].summary();
    summary["runs"][0]["results"][0]["tokens"] = 499;
    write_text(scratch.path() / runs[2].name() / "evaluations" / "summary.json", summary.dump());
    const Table table = make_table(scratch.path());
    EXPECT_NE(table.warning.find("non_overlapping 64 tokens scored"), std::string::npos) << table.warning;
}

TEST(Fairness, SeedsOfOneArmMustNotDiffer) {
    Scratch scratch;
    std::vector<FakeRun> runs = two_arms();
    runs[1].lr = 0.5;
    write_runs(scratch.path(), runs);
    EXPECT_NE(make_table(scratch.path()).warning.find("train.lr"), std::string::npos);
}

TEST(Fairness, WhatArmsSetBesideTheirEncodingIsListed) {
    Scratch scratch;
    std::vector<FakeRun> runs = two_arms();
    runs[2].lr = runs[3].lr = 0.5;
    write_runs(scratch.path(), runs);
    Table table = make_table(scratch.path());
    EXPECT_EQ(table.warning, "");
    EXPECT_TRUE(says(table.ledger, {"arms also differ in train.lr", "0.500000 (alibi)"}));
    // Where the manifests tell what the arms set, a difference beyond it is undeclared.
    for (FakeRun& run : runs) run.manifest["varied"] = {"encoding.kind"};
    write_runs(scratch.path(), runs);
    EXPECT_NE(make_table(scratch.path()).warning.find("train.lr"), std::string::npos);
    for (FakeRun& run : runs) run.manifest["varied"] = {"encoding", "train.lr"};
    write_runs(scratch.path(), runs);
    EXPECT_EQ(make_table(scratch.path()).warning, "");
}

TEST(Fairness, DeclaredDifferencesAreNotes) {
    Scratch scratch;
    std::vector<FakeRun> runs = two_arms();
    for (FakeRun& run : runs) run.manifest["varied"] = {"encoding", "train.tokens"};
    for (const std::size_t i : {2, 3}) {
        runs[i].manifest["tokens"] = 16384;
        runs[i].manifest["data_order_hash"] = "longer";
    }
    write_runs(scratch.path(), runs);
    const Table table = make_table(scratch.path());
    EXPECT_EQ(table.warning, "");
    EXPECT_TRUE(says(table.ledger, {"data order: differ, as declared", "rope against alibi"}));
}

TEST(Fairness, CountsAreNamed) {
    Scratch scratch;
    std::vector<FakeRun> runs = two_arms();
    runs[2].manifest["parameters"] = runs[3].manifest["parameters"] = 1234567;
    runs[0].manifest["epochs"] = 3.25;
    runs[0].manifest["machine"] = {{"commit", "abc"}, {"dirty", ""}};
    runs[1].manifest["machine"] = {{"commit", "def"}, {"dirty", "12"}};
    write_runs(scratch.path(), runs);
    const Table table = make_table(scratch.path());
    EXPECT_EQ(table.warning, "");
    EXPECT_TRUE(says(table.ledger, {"parameters: 1,000 (rope), 1,234,567 (alibi)", "its own"}));
    EXPECT_TRUE(says(table.ledger, {"repeated", "3.25"}));
    EXPECT_TRUE(says(table.ledger, {"different commits", "abc", "def with changes 12"}));
}

TEST(Fairness, MissingFieldsAreNotesNotErrors) {
    Scratch scratch;
    std::vector<FakeRun> runs = two_arms();
    for (FakeRun& run : runs) run.manifest = {{"state", "done"}};
    write_runs(scratch.path(), runs);
    const Table table = make_table(scratch.path());
    EXPECT_EQ(table.warning, "");
    for (const char* what : {"parameters", "training tokens", "data order", "evaluation items"})
        EXPECT_TRUE(says(table.ledger, {what, "not recorded"})) << what;
}

}  // namespace
}  // namespace locus
