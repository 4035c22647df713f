#include "recipes/engine/run/workbench.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace locus {
namespace {

/// A folder of three texts, one of them with a comma in its name.
class WorkbenchTest : public testing::Test {
  protected:
    WorkbenchTest() {
        std::string name = testing::TempDir() + "locus_workbench_XXXXXX";
        folder_ = mkdtemp(name.data());
        for (const char* file : {"a", "b", "a,b", "c"})
            std::ofstream(folder_ / file) << "The text of " << file;
        options_.corpus = folder_.string();
    }
    ~WorkbenchTest() override { std::filesystem::remove_all(folder_); }

    std::filesystem::path folder_;
    DataOptions options_;
    Workbench bench_{1};
};

TEST_F(WorkbenchTest, OptionsAreComparedAsValues) {
    options_.valid = {"a,b"};
    EXPECT_EQ(bench_.data(options_).splits.valid.documents.size(), 1u);
    options_.valid = {"a", "b"};
    EXPECT_EQ(bench_.data(options_).splits.valid.documents.size(), 2u);
    options_.valid = {"a"};
    options_.test = {"b"};
    EXPECT_EQ(bench_.data(options_).splits.valid.documents.size(), 1u);
    options_.test = {};
    options_.valid_fraction = {};
    EXPECT_TRUE(bench_.data(options_).splits.test.documents.empty());
    options_.format = TextFormat::bytes;
    EXPECT_EQ(bench_.data(options_).corpus.intake.record()["taken"][0]["kind"], "raw bytes");
}

TEST_F(WorkbenchTest, WhatDoesNotTouchTheTextIsNotReadAgainAndSaysNothing) {
    const LoadedData* first = &bench_.data(options_);
    EXPECT_FALSE(bench_.take_notes().empty());
    options_.block = 64;
    options_.positions.kind = PositionKind::packed;
    EXPECT_EQ(&bench_.data(options_), first);
    EXPECT_TRUE(bench_.take_notes().empty());
}

}  // namespace
}  // namespace locus
