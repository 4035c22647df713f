#include "data/fetch.h"

#include <cstdlib>

#include "tests/data/support.h"

namespace locus {
namespace {

class Fetch : public test::FolderTest {
  protected:
    void SetUp() override {
        FolderTest::SetUp();
        if (!std::filesystem::exists("/usr/bin/python3"))
            GTEST_SKIP() << "not run: /usr/bin/python3 is not here";
        path_ = std::getenv("PATH") ? std::getenv("PATH") : "";
    }
    void TearDown() override {
        ::setenv("PATH", path_.c_str(), 1);
        FolderTest::TearDown();
    }
    void expect_empty() const { EXPECT_TRUE(std::filesystem::is_empty(folder_)); }

    std::function<void(const std::string&)> note_ = [this](const std::string& line) {
        said_.push_back(line);
    };
    std::vector<std::string> said_;
    std::string path_;
};

TEST_F(Fetch, WithoutAptItNamesTheFileToSupply) {
    ::setenv("PATH", "/nonexistent", 1);
    test::expect_error([&] { fetch("austen", folder_, note_); }, Failure::data,
                       {"apt-get is not here", "r-cran-janeaustenr_", folder_.string(), "--package"});
    test::expect_error([&] { fetch("kjv", folder_, note_); }, Failure::data,
                       {"bible-kjv-text_", folder_.string()});
    test::expect_error([&] { fetch("gcide", folder_, note_); }, Failure::data,
                       {"dict-gcide_", folder_.string()});
    expect_empty();
}

TEST_F(Fetch, AFailedDownloadNamesTheFileToSupply) {
    const std::string tool = put("bin/apt-get", "#!/bin/sh\necho 'E: Unable to locate package'\nexit 100\n");
    std::filesystem::permissions(tool, std::filesystem::perms::owner_all);
    ::setenv("PATH", (folder_ / "bin").c_str(), 1);
    test::expect_error([&] { fetch("austen", folder_ / "out", note_); }, Failure::data,
                       {"Unable to locate package", "r-cran-janeaustenr_"});
    EXPECT_TRUE(std::filesystem::is_empty(folder_ / "out"));
}

TEST_F(Fetch, WhatIsThereStays) {
    put("austen/Emma/01.txt", "mine");
    EXPECT_EQ(fetch("austen", folder_, note_), folder_ / "austen");
    EXPECT_EQ(test::bytes_of(folder_ / "austen/Emma/01.txt"), "mine");
    ASSERT_EQ(said_.size(), 1u);
    EXPECT_NE(said_[0].find("there already"), std::string::npos);
}

TEST_F(Fetch, ASuppliedFileIsTakenAndBadOnesAreRefused) {
    ::setenv("PATH", "/nonexistent", 1);
    const std::string file = put("r-cran-janeaustenr_1_all.deb", "not a package");
    test::expect_error([&] { fetch("austen", folder_, note_); }, Failure::data,
                       {file, "not a Debian package"});
    EXPECT_FALSE(std::filesystem::exists(folder_ / "austen"));
}

TEST_F(Fetch, UnknownNames) {
    test::expect_error([&] { fetch("shakespeare", folder_, note_); }, Failure::usage,
                       {"shakespeare", "austen, gcide, kjv"});
    expect_empty();
}

}  // namespace
}  // namespace locus
