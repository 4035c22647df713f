#include "data/named_splits.h"

#include <gtest/gtest.h>

namespace locus {
namespace {

using Names = std::vector<std::string>;

TEST(NamedSplits, ReleasesNameTheirSplits) {
    struct Case {
        Names files, valid, test;
    };
    const std::vector<Case> cases = {
        {{"wiki.test.tokens", "wiki.train.tokens", "wiki.valid.tokens"},
         {"wiki.valid.tokens"},
         {"wiki.test.tokens"}},
        {{"wiki.test.tokens", "wiki.valid.tokens"}, {"wiki.valid.tokens"}, {"wiki.test.tokens"}},
        {{"ptb.test.txt", "ptb.train.txt", "ptb.valid.txt"}, {"ptb.valid.txt"}, {"ptb.test.txt"}},
        {{"c4-train.00000-of-01024.json.gz", "c4-train.00001-of-01024.json.gz",
          "c4-validation.00000-of-00008.json.gz"},
         {"c4-validation.00000-of-00008.json.gz"},
         {}},
        {{"a.txt", "b.txt", "Test.txt", "dev.txt"}, {"dev.txt"}, {"Test.txt"}},
        {{"test/a.txt", "train/b.txt", "train/c.txt", "val/d.txt"}, {"val/d.txt"}, {"test/a.txt"}},
        {{"train-00000.jsonl", "test-00000.jsonl"}, {}, {"test-00000.jsonl"}},
    };
    for (const Case& one : cases) {
        const NamedSplits found = splits_by_name(one.files);
        EXPECT_EQ(found.valid, one.valid) << one.files[0];
        EXPECT_EQ(found.test, one.test) << one.files[0];
        EXPECT_TRUE(found.notes.empty());
    }
}

TEST(NamedSplits, TitlesThatHoldTheWordsTrainAndANoteSaysSo) {
    const NamedSplits found =
        splits_by_name({"the_acid_test.txt", "a-valid-point.txt", "contest.txt", "invalid.txt"});
    EXPECT_TRUE(found.valid.empty());
    EXPECT_TRUE(found.test.empty());
    ASSERT_EQ(found.notes.size(), 2u);
    EXPECT_NE(found.notes[0].find("the_acid_test.txt"), std::string::npos);
    EXPECT_NE(found.notes[0].find("data.test"), std::string::npos);
}

TEST(NamedSplits, OneFileAloneIsNoSplit) {
    const NamedSplits found = splits_by_name({"test.txt"});
    EXPECT_TRUE(found.test.empty());
    EXPECT_EQ(found.notes.size(), 1u);
}

}  // namespace
}  // namespace locus
