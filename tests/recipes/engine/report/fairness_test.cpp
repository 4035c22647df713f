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
    EXPECT_EQ(first_line(text_of(table, "md")), "Which?");
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
        EXPECT_NE(text_of(table, "csv").find(said), std::string::npos) << field;  // a column
        for (const char* format : {"md", "tex"})
            EXPECT_NE(first_line(text_of(table, format)).find(said), std::string::npos) << field;
        const auto json = nlohmann::json::parse(text_of(table, "json"));
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
    for (FakeRun& run : runs) run.train = ", tokens: 8192";
    for (const std::size_t i : {2, 3}) {
        runs[i].train = ", tokens: 16384";
        runs[i].manifest["tokens"] = 16384;
        runs[i].manifest["data_order_hash"] = "longer";
    }
    write_runs(scratch.path(), runs);
    const Table table = make_table(scratch.path());
    EXPECT_EQ(table.warning, "");
    EXPECT_TRUE(says(table.ledger, {"data order: differ, as declared", "rope against alibi"}));
}

// What is declared excuses what follows from it, where arms do differ in it: not the rest, and not other
// arms.
TEST(Fairness, ADeclaredKeyExcusesItsOwnConsequencesOnly) {
    struct Trial {
        std::string declared, field;
        bool excused;
    };
    for (const auto& [declared, field, excused] : std::vector<Trial>{
             {"data: {corpus: kjv, tokenizer: byte}", "evaluation_items_hash", true},
             {"data: {corpus: kjv, tokenizer: byte}", "data_order_hash", true},
             {"data: {corpus: kjv, tokenizer: byte}", "initial_value_hash", false},
             {"data: {corpus: austen, tokenizer: byte, block: 128}", "data_order_hash", true},
             {"data: {corpus: austen, tokenizer: byte, block: 128}", "evaluation_items_hash", false},
             {"data: {corpus: austen, tokenizer: byte, positions: pose, chunks: 2}", "data_order_hash",
              false},
             {"data: {corpus: austen, tokenizer: byte, positions: pose, chunks: 2}", "evaluation_items_hash",
              false},
             {"data: {corpus: austen, tokenizer: byte, positions: randomized}", "data_order_hash", false},
             {"data: {corpus: austen, tokenizer: byte, positions: packed}", "data_order_hash", true},
             {"data: {corpus: austen, tokenizer: byte, positions: packed}", "evaluation_items_hash", false},
             {"data: {corpus: austen, tokenizer: byte, positions: packed}", "initial_value_hash", false},
             {"data: {corpus: austen, tokenizer: byte, positions: pose, chunks: 2}", "", true}}) {
        Scratch scratch;
        std::vector<FakeRun> runs = two_arms();
        for (FakeRun& run : runs)
            run.manifest["varied"] = {"encoding", declared.find("kjv") != std::string::npos ? "data.corpus"
                                                  : declared.find("block") != std::string::npos
                                                      ? "data.block"
                                                      : "data.positions"};
        for (const std::size_t i : {2, 3}) {
            runs[i].data = declared;
            if (!field.empty()) runs[i].manifest[field] = "other";
        }
        write_runs(scratch.path(), runs);
        const Table table = make_table(scratch.path());
        EXPECT_EQ(table.warning.empty(), excused) << declared << " " << field << ": " << table.warning;
    }
}

TEST(Fairness, ADeclaredKeyExcusesOnlyArmsThatDifferInIt) {
    Scratch scratch;
    std::vector<FakeRun> runs = {run_of("rope", 0, {1, 5}), run_of("alibi", 0, {2, 3}),
                                 run_of("t5", 0, {2, 4})};
    for (FakeRun& run : runs) run.manifest["varied"] = {"encoding", "data.corpus"};
    runs[2].data = "data: {corpus: kjv, tokenizer: byte}";
    runs[1].manifest["evaluation_items_hash"] = "edited";
    write_runs(scratch.path(), runs);
    EXPECT_NE(make_table(scratch.path()).warning.find("evaluation items: rope against alibi"),
              std::string::npos);
}

// A seed that an arm sets is no place of the mean.
TEST(Fairness, FactsAreComparedByCell) {
    Scratch scratch;
    std::vector<FakeRun> runs = {run_of("rope", 0, {1, 5}), run_of("alibi", 7, {2, 3})};
    for (FakeRun& run : runs) {
        run.with_seed = false;
        run.manifest["varied"] = {"encoding", "train.seed"};
    }
    runs[1].manifest["data_order_hash"] = runs[1].manifest["initial_value_hash"] = "of seed 7";
    write_runs(scratch.path(), runs);
    const Table table = make_table(scratch.path());
    EXPECT_EQ(table.warning, "");
    EXPECT_TRUE(says(table.ledger, {"data order: differ, as declared", "rope against alibi"}));
    EXPECT_TRUE(says(table.ledger, {"initial values", "differ, as declared"}));
    for (FakeRun& run : runs) run.manifest["varied"] = {"encoding"};
    write_runs(scratch.path(), runs);
    EXPECT_NE(make_table(scratch.path()).warning.find("train.seed: 0 (rope), 7 (alibi)"), std::string::npos);
}

// Seeds as rows, a mean over learning rates: each seed has its own order and values, and may.
TEST(Fairness, WhatTheRowsVaryInIsNoWarning) {
    Scratch scratch;
    int index = 0;
    for (const int seed : {0, 1})
        for (const double lr : {0.01, 0.001}) {
            FakeRun run = run_of("rope", seed, {1.0 + seed, 2});
            run.lr = lr;
            run.index = index++;
            run.table = "{rows: train.seed, columns: [length], cell: bits_per_byte, over: train.lr}";
            run.manifest["varied"] = {"train.lr", "train.seed"};
            run.manifest["data_order_hash"] = run.manifest["initial_value_hash"] = std::to_string(seed);
            const auto folder = scratch.path() / std::to_string(index);
            run.train = ", min_lr: " + std::to_string(lr / 10);
            run.write(folder);
            std::string recipe = run.recipe();
            recipe.replace(recipe.find("  arm: rope\n"), 12, "  train.lr: " + std::to_string(lr) + "\n");
            write_text(folder / "recipe.yaml", recipe);
        }
    EXPECT_EQ(make_table(scratch.path()).warning, "");
}

TEST(Fairness, CountsAreNamed) {
    Scratch scratch;
    std::vector<FakeRun> runs = two_arms();
    runs[2].manifest["parameters"] = runs[3].manifest["parameters"] = 1234567;
    runs[0].manifest["epochs"] = 3.25;
    write_runs(scratch.path(), runs);
    const Table table = make_table(scratch.path());
    EXPECT_EQ(table.warning, "");
    EXPECT_TRUE(says(table.ledger, {"parameters: 1,000 (rope), 1,234,567 (alibi)", "its own"}));
    EXPECT_TRUE(says(table.ledger, {"repeated", "3.25"}));
}

// Another text, kernels, program or build stand in the first line: of the training, and of a resume.
TEST(Fairness, WhatRunsStandOnIsNamed) {
    using nlohmann::json;
    const json machine = {{"target", "avx2"}, {"commit", "abc"}, {"dirty", ""}, {"compiler", "GCC"}};
    const json resumed = {{"event", "resumed"},
                          {"step", 3},
                          {"changes", {{{"thing", "kernels"}, {"there", "avx2"}, {"here", "sse4"}}}}};
    const std::vector<std::pair<json, std::string>> differences = {
        {{{"corpus", {{"hash", "22"}}}}, "corpus: 11 (rope, alibi), 22 (rope)"},
        {{{"machine", {{"commit", "def"}, {"dirty", "12"}}}},
         "program: abc (rope, alibi), def, with changes 12 (rope)"},
        {{{"machine", {{"target", "sse4"}}}}, "kernels: avx2 (rope, alibi), sse4 (rope)"},
        {{{"history", {resumed}}}, "kernels: avx2 (rope, alibi), sse4 (rope)"},
        {json::object(), ""}};
    for (const auto& [patch, said] : differences) {
        Scratch scratch;
        std::vector<FakeRun> runs = two_arms();
        for (FakeRun& run : runs)
            run.manifest.update({{"machine", machine}, {"corpus", {{"hash", "11"}}}, {"steps", 8}});
        runs[1].manifest.merge_patch(patch);
        write_runs(scratch.path(), runs);
        const Table table = make_table(scratch.path());
        EXPECT_NE(table.warning.find(said), std::string::npos) << said << ": " << table.warning;
        EXPECT_EQ(table.warning.empty(), said.empty());
        EXPECT_EQ(says(table.ledger, {"kernels", ": the same in all arms"}),
                  said.find("kernels") == std::string::npos);
    }
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
