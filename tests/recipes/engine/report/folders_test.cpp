// Folders that hold no experiment, or a broken one.
#include "framework/io/json_file.h"
#include "recipes/engine/config/cell_list.h"
#include "tests/recipes/engine/report/support.h"

namespace locus {
namespace {

bool holds(const std::string& message, const std::vector<std::string>& parts) {
    return says({message}, parts);
}

TEST(Folders, NoFolderAndNoRuns) {
    Scratch scratch;
    EXPECT_TRUE(holds(refusal(scratch.path() / "nowhere"), {"nowhere", "not a folder"}));
    std::filesystem::create_directories(scratch.path() / "figures");
    EXPECT_TRUE(holds(refusal(scratch.path()), {"no run folder"}));
    EXPECT_FALSE(std::filesystem::exists(scratch.path() / "table.md"));
}

TEST(Folders, BrokenFilesAreNamed) {
    Scratch scratch;
    write_runs(scratch.path(), {run_of("rope", 0, {1, 5}), run_of("alibi", 0, {2, 3})});
    const auto alibi = scratch.path() / "alibi,seed=0";
    const auto expect_refused = [&](const std::string& file, const std::string& content) {
        const std::string before = read_text(alibi / file);
        write_text(alibi / file, content);
        EXPECT_TRUE(holds(refusal(scratch.path()), {"alibi,seed=0/" + file})) << file << " " << content;
        write_text(alibi / file, before);
    };
    expect_refused("manifest.json", "{\"state\": ");
    expect_refused("manifest.json", "[1]");
    expect_refused("manifest.json", "");
    expect_refused("evaluations/summary.json", "{\"runs\": NaN}");
    expect_refused("evaluations/summary.json", "{\"runs\": [{\"split\": \"valid\"}]}");
    expect_refused("evaluations/summary.json",
                   R"({"runs": [{"protocol": "sliding", "results": [{"length": "x"}]}]})");
    expect_refused("recipe.yaml", "a: [1");
    expect_refused("recipe.yaml", "vary: {}");
    expect_refused("recipe.yaml", "- 1");
    EXPECT_NO_THROW(make_table(scratch.path()));
    std::filesystem::remove(alibi / "recipe.yaml");
    EXPECT_TRUE(holds(refusal(scratch.path()), {"alibi,seed=0/recipe.yaml", "missing"}));
}

TEST(Folders, CellsOfDifferentExperimentsDoNotMix) {
    Scratch scratch;
    write_runs(scratch.path(), {run_of("rope", 0, {1, 5}), run_of("alibi", 0, {2, 3})});
    FakeRun other = run_of("t5", 0, {1, 1});
    other.write(scratch.path() / "t5");
    std::string recipe = other.recipe();
    recipe.replace(recipe.find("Which?"), 6, "Where?");
    write_text(scratch.path() / "t5" / "recipe.yaml", recipe);
    EXPECT_TRUE(holds(refusal(scratch.path()), {"different experiments", "Which?", "Where?", "t5"}));
    other.with_seed = false;
    write_text(scratch.path() / "t5" / "recipe.yaml", other.recipe());
    EXPECT_TRUE(holds(refusal(scratch.path()), {"different experiments", "arm, train.seed"}));
}

// A digit that was changed by hand contradicts the checksum, or the numbers beside it.
TEST(Folders, ChangedNumbersAreRefused) {
    Scratch scratch;
    write_runs(scratch.path(), {run_of("rope", 0, {1, 5}), run_of("alibi", 0, {2, 3})});
    const auto path = scratch.path() / "alibi,seed=0" / "evaluations" / "summary.json";
    const nlohmann::json sound = nlohmann::json::parse(read_text(path));
    const auto expect_refused = [&](nlohmann::json summary, const std::string& said) {
        write_text(path, summary.dump());
        EXPECT_TRUE(holds(refusal(scratch.path()), {"alibi,seed=0/evaluations/summary.json", said})) << said;
    };
    for (const char* metric : {"bits_per_byte", "perplexity"}) {
        nlohmann::json changed = sound;
        changed["runs"][0]["results"][1][metric] =
            changed["runs"][0]["results"][1][metric].get<double>() + 1e-4;
        expect_refused(changed, std::string("length 128: ") + metric);
    }
    nlohmann::json changed = sound;
    changed["runs"][0]["results"][0]["nats_per_token"] = 1.0;
    expect_refused(changed, "nats per token");
    changed = sound;
    changed["runs"][0]["results"][0]["state"] = "diverged";
    expect_refused(changed, "state diverged has a number");

    nlohmann::json sealed = sound;
    sealed["runs"][0]["checksum"] = content_checksum(sealed["runs"][0]);
    write_text(path, sealed.dump(2));
    EXPECT_NO_THROW(make_table(scratch.path()));
    for (const char* field : {"tokens", "length", "interval"}) {
        changed = sealed;
        changed["runs"][0]["results"][0][field] = nullptr;
        expect_refused(changed, "was changed after it was written");
    }
    changed = sealed;
    changed["runs"][0]["documents"] = 8;
    expect_refused(changed, "was changed after it was written");
}

// Folders of cells that the recipe no longer has are named and left out, whatever is in them.
TEST(Folders, CellsThatTheRecipeNoLongerHasAreLeftOut) {
    Scratch scratch;
    write_runs(scratch.path(),
               {run_of("rope", 0, {1, 5}), run_of("alibi", 0, {2, 3}), run_of("old", 0, {0, 0})});
    write_text(scratch.path() / "renamed" / "recipe.yaml", "of another question: [");
    write_cell_list(scratch.path(), {"rope,seed=0", "alibi,seed=0", "t5,seed=0"});
    const Table table = make_table(scratch.path());
    EXPECT_EQ(table.rows.size(), 2u);
    EXPECT_TRUE(says(table.notes, {"left out", "old,seed=0, renamed"}));
    EXPECT_EQ(make_table(scratch.path() / "old,seed=0").rows.size(), 1u);  // named by itself
    write_cell_list(scratch.path(), {"t5,seed=0"});
    EXPECT_TRUE(holds(refusal(scratch.path()), {"no run folder", "of a cell that its recipe has"}));
}

TEST(Folders, ACellMustNotBeThereTwice) {
    Scratch scratch;
    const FakeRun run = run_of("rope", 0, {1, 5});
    run.write(scratch.path() / "one");
    run.write(scratch.path() / "two");
    EXPECT_TRUE(holds(refusal(scratch.path()), {"two runs of the same cell", "one", "two"}));
}

}  // namespace
}  // namespace locus
