#include "recipes/engine/evaluation/evaluation_store.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "framework/io/hdf5.h"
#include "framework/io/json_file.h"
#include "recipes/engine/evaluation/evaluate.h"
#include "tests/recipes/engine/evaluation/support.h"

namespace locus {
namespace {

class StoreTest : public testing::Test {
  protected:
    StoreTest() {
        std::string name = testing::TempDir() + "locus_evaluation_XXXXXX";
        folder_ = mkdtemp(name.data());
    }
    ~StoreTest() override { std::filesystem::remove_all(folder_); }

    EvaluationReport report(const std::vector<Index>& sizes, const std::string& encoding) const {
        const test::RandomText text(sizes);
        Workers workers(1);
        const EvaluationPlan plan{{16, 32}, {{"same_target"}, {"sliding", 8}}, 50, 16, false};
        return evaluate(test::make_model(encoding), text.split, plan, *make_tokenizer("byte"), workers);
    }

    std::filesystem::path folder_;
};

TEST_F(StoreTest, keepsEveryTokenAndTheSummary) {
    const EvaluationReport saved = report({100, 60}, "learned");
    save(saved, folder_ / "run");
    const auto summary = read_json(folder_ / "run/evaluations/summary.json");
    ASSERT_EQ(summary["runs"].size(), 2u);
    EXPECT_EQ(summary["runs"][0]["file"], "same_target.h5");
    EXPECT_EQ(summary["runs"][1]["file"], "sliding-8.h5");
    EXPECT_EQ(summary["runs"][0]["results"], to_json(saved)["runs"][0]["results"]);

    const auto file = Hdf5File::open(folder_ / "run/evaluations/same_target.h5", Failure::storage);
    const TokenLosses& losses = saved.runs[0].losses;
    EXPECT_EQ(file.read<Index>("document"), losses.document);
    EXPECT_EQ(file.read<Index>("index"), losses.index);
    EXPECT_EQ(file.read<Token>("target"), losses.target);
    EXPECT_EQ(file.read<Index>("lengths"), (std::vector<Index>{16, 32}));
    EXPECT_EQ(file.describe("nats").shape, (std::vector<Index>{2, 50}));
    const auto nats = file.read<float>("nats");
    for (std::size_t i = 0; i < 50; ++i) {
        EXPECT_EQ(nats[i], static_cast<float>(losses.nats[0][i]));
        EXPECT_TRUE(std::isnan(nats[50 + i]));  // beyond the table
    }
    EXPECT_EQ(file.text_attribute("/", "protocol"), "same_target");
}

TEST_F(StoreTest, keepsARunWithoutTokens) {
    save(report({1}, "rope"), folder_);
    const auto file = Hdf5File::open(folder_ / "evaluations/same_target.h5", Failure::storage);
    EXPECT_TRUE(file.read<Index>("index").empty());
    EXPECT_EQ(read_json(folder_ / "evaluations/summary.json")["runs"][1]["results"][0]["state"], "too_short");
}

TEST_F(StoreTest, refusesAFolderThatCannotBe) {
    write_json(folder_ / "evaluations", nlohmann::json::object());  // a file in its place
    try {
        save(report({60}, "rope"), folder_);
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::storage);
    }
}

TEST(LossesFile, namesProtocolAndSplit) {
    ProtocolRun run;
    run.protocol = "sliding:64";
    run.split = "valid";
    EXPECT_EQ(losses_file(run), "sliding-64.h5");
    run.split = "test";
    EXPECT_EQ(losses_file(run), "sliding-64.test.h5");
}

}  // namespace
}  // namespace locus
