// Folders that hold no experiment, or a broken one.
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

TEST(Folders, ACellMustNotBeThereTwice) {
    Scratch scratch;
    const FakeRun run = run_of("rope", 0, {1, 5});
    run.write(scratch.path() / "one");
    run.write(scratch.path() / "two");
    EXPECT_TRUE(holds(refusal(scratch.path()), {"two runs of the same cell", "one", "two"}));
}

}  // namespace
}  // namespace locus
