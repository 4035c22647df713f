// A recipe over another: what is laid over what, where paths begin, and circles.
#include <filesystem>
#include <fstream>

#include "tests/recipes/engine/config/support.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

class Bases : public ::testing::Test {
  protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() /
                  ("locus_bases_" + std::to_string(reinterpret_cast<std::uintptr_t>(this)) + "_" +
                   ::testing::UnitTest::GetInstance()->current_test_info()->name());
        fs::create_directories(folder_ / "common");
    }
    void TearDown() override { fs::remove_all(folder_); }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name, std::ios::binary) << text;
        return (folder_ / name).string();
    }
    std::vector<Cell> cells(const std::string& path, const std::vector<std::string>& overrides = {}) const {
        return expand(read_recipe(path), overrides, test_schema());
    }
    std::string failure(const std::string& path) const {
        try {
            cells(path);
        } catch (const Error& error) {
            return error.what();
        }
        ADD_FAILURE() << "accepted: " << path;
        return {};
    }
    fs::path folder_;
};

TEST_F(Bases, AreReplacedKeyByKeyInBlocksToo) {
    write("common/tiny.yaml",
          "question: below\nmodel: {layers: 2, width: 64}\ntrain: {length: 32, lr: 2e-3, seed: 4}\n");
    const std::string over =
        write("x.yaml", "question: above\nbase: common/tiny.yaml\ntrain: {lr: 1e-2}\nmodel.layers: 1\n");
    const Recipe recipe = cells(over).front().recipe;
    EXPECT_EQ(recipe.question, "above");
    EXPECT_EQ(recipe.model.layers, 1);
    EXPECT_EQ(recipe.model.width, 64);
    EXPECT_EQ(recipe.train.length, 32);
    EXPECT_EQ(recipe.train.lr, 1e-2);
    EXPECT_EQ(recipe.train.seed, 4u);
    EXPECT_EQ(cells(over, {"train.lr=3"}).front().recipe.train.lr, 3);
    EXPECT_EQ(cells(over, {"train={lr: 3}"}).front().recipe.train.seed,
              0u);  // the command line replaces blocks
}

TEST_F(Bases, MaySayTheSameInOtherWords) {
    write("common/tiny.yaml", "train: {tokens: 8192, warmup_steps: 1}\n");
    const Recipe recipe =
        cells(write("x.yaml", "base: common/tiny.yaml\ntrain: {steps: 10, warmup: 0.5}\n")).front().recipe;
    EXPECT_EQ(recipe.train.steps(), 10);
    EXPECT_EQ(recipe.train.warmup_steps, 5);
}

TEST_F(Bases, AnotherKindOfEncodingBeginsAnew) {
    write("common/tiny.yaml", "encoding: {kind: rope, base: 500, lr_factor: 2}\n");
    const auto of = [&](const std::string& text) {
        return cells(write("x.yaml", "base: common/tiny.yaml\n" + text)).front().recipe.encoding;
    };
    EXPECT_EQ(of("encoding: {kind: alibi}").kind, "alibi");
    EXPECT_EQ(of("encoding: {kind: alibi}").lr_factor, 1);
    EXPECT_EQ(of("encoding.kind: alibi").kind, "alibi");
    EXPECT_EQ(of("encoding: {kind: rope, fraction: 0.5}").options.number("base"), 500);
    EXPECT_EQ(of("encoding.fraction: 0.5").options.number("base"), 500);
}

TEST_F(Bases, StandOnBasesOfTheirOwnAndHoldAll) {
    write("one.yaml", "train: {seed: 1, length: 16}\n");
    write("common/two.yaml",
          "base: ../one.yaml\ntrain.lr: 5e-3\nvary: {train.seed: [3, 4], model.layers: [1, 2]}\n");
    const auto all =
        cells(write("x.yaml", "base: common/two.yaml\nvary: {train.seed: [7], arm: [{name: a}]}\n"));
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].name, "a,seed=7,layers=1");  // its own axes first
    EXPECT_EQ(all[1].recipe.train.length, 16);
    EXPECT_EQ(all[1].recipe.train.lr, 5e-3);
    const std::string text = write_recipe(all[1].recipe, test_schema());
    EXPECT_EQ(text.find("base"), text.find("base:"));  // encoding.base alone
    EXPECT_TRUE(holds(text, {"length: 16", "lr: 0.005", "seed: 7"}));
}

TEST_F(Bases, OfAResolvedRecipeLeaveItsCellBehind) {
    const std::string text =
        write_recipe(cells(write("x.yaml", "vary: {train.seed: [7]}\n")).front().recipe, test_schema());
    write("resolved.yaml", text);
    const auto all = cells(write("y.yaml", "base: resolved.yaml\nvary: {train.lr: [1e-2]}\n"));
    EXPECT_EQ(all.front().name, "lr=0.01");
    EXPECT_EQ(all.front().recipe.train.seed, 7u);
}

TEST_F(Bases, PathsBeginWhereTheyAreSaid) {
    write("common/tiny.yaml", "data: {corpus: text.txt}\n");
    const std::string over = write("x.yaml", "base: common/tiny.yaml\n");
    const DataOptions below = cells(over).front().recipe.data;
    EXPECT_EQ(below.corpus, "text.txt");  // as it is written: the resolved recipe names no place
    EXPECT_EQ(fs::path(below.folder), folder_ / "common");
    EXPECT_EQ(fs::path(cells(write("y.yaml", "data.corpus: t.txt\n")).front().recipe.data.folder), folder_);
    EXPECT_EQ(cells(over, {"data.corpus=other.txt"}).front().recipe.data.folder, "");
    EXPECT_TRUE(holds(failure(write("z.yaml", "from: {run: nowhere}\n")), {(folder_ / "nowhere").string()}));
}

TEST_F(Bases, CirclesAndMissingFilesAreRefusedWithTheirLine) {
    write("a.yaml", "question: q\nbase: common/b.yaml\n");
    write("common/b.yaml", "base: ../common/../a.yaml\n");
    EXPECT_TRUE(holds(failure((folder_ / "a.yaml").string()), {"b.yaml:1: base: ", "a base of itself"}));
    EXPECT_TRUE(
        holds(failure(write("self.yaml", "base: self.yaml\n")), {"self.yaml:1: base: ", "a base of itself"}));
    EXPECT_TRUE(holds(failure(write("x.yaml", "\nbase: none.yaml\n")), {"x.yaml:2: base: ", "none.yaml"}));
    EXPECT_TRUE(holds(failure(write("x.yaml", "base: common\n")), {"x.yaml:1: base: ", "no recipe"}));
    EXPECT_TRUE(holds(failure(write("x.yaml", "base: [a, b]\n")), {"x.yaml:1: base: expected the path"}));
    write("list.yaml", "- a\n");
    EXPECT_TRUE(holds(failure(write("x.yaml", "base: list.yaml\n")), {"list.yaml:1: ", "expected a recipe"}));
    write("bad.yaml", "train: {sede: 1}\n");
    EXPECT_TRUE(holds(failure(write("x.yaml", "base: bad.yaml\n")), {"bad.yaml:1: ", "'train.seed'"}));
    write("bad.yaml", "train: {lr: x}\n");
    EXPECT_TRUE(holds(failure(write("x.yaml", "base: bad.yaml\n")), {"bad.yaml:1: train.lr: expected"}));
}

}  // namespace
}  // namespace locus
