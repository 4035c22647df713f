#include "recipes/engine/measure/targets.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/recipes/engine/evaluation/support.h"

namespace locus {
namespace {

TEST(Targets, haveAllTheirPredecessors) {
    const test::RandomText text({100, 64, 65, 3, 400});
    const TargetSet set = draw_targets(text.split.documents, 64, 200);
    EXPECT_EQ(set.eligible, 36 + 0 + 1 + 0 + 336);
    ASSERT_EQ(set.targets.size(), 200u);
    for (const Target& target : set.targets) {
        EXPECT_GE(target.index, 64);
        EXPECT_LT(target.index,
                  static_cast<Index>(text.texts[static_cast<std::size_t>(target.document)].size()));
    }
    for (std::size_t i = 1; i < set.targets.size(); ++i) {
        const Target &a = set.targets[i - 1], &b = set.targets[i];
        EXPECT_TRUE(a.document < b.document || (a.document == b.document && a.index < b.index));
    }
}

TEST(Targets, areAllWhereThereAreFewerThanWanted) {
    const test::RandomText text({70, 65});
    const TargetSet set = draw_targets(text.split.documents, 64, 2048);
    EXPECT_EQ(set.eligible, 7);
    EXPECT_EQ(set.targets.size(), 7u);
    EXPECT_TRUE(draw_targets(text.split.documents, 70, 2048).targets.empty());
}

TEST(Targets, ofASmallerSetAreInTheLargerOne) {
    const test::RandomText text({3000, 2000});
    const auto small = draw_targets(text.split.documents, 128, 100).targets;
    const auto large = draw_targets(text.split.documents, 128, 500).targets;
    for (const Target& target : small) EXPECT_NE(std::find(large.begin(), large.end(), target), large.end());
}

// The random number belongs to the document's place in the corpus: leaving another document out changes
// nothing.
TEST(Targets, dependOnDocumentAndIndexOnly) {
    const test::RandomText text({300, 300});
    std::vector<Index> mixed;
    for (const Target& target : draw_targets(text.split.documents, 10, 100).targets) {
        if (target.document == 1) mixed.push_back(target.index);
    }
    const auto alone =
        draw_targets(std::span(text.split.documents).subspan(1), 10, static_cast<Index>(mixed.size()))
            .targets;
    ASSERT_FALSE(mixed.empty());
    for (std::size_t i = 0; i < mixed.size(); ++i) EXPECT_EQ(alone[i].index, mixed[i]);
}

TEST(Targets, areSpreadEvenly) {
    const test::RandomText text({20000});
    const auto targets = draw_targets(text.split.documents, 1000, 2000).targets;
    std::vector<int> quarters(4, 0);
    for (const Target& target : targets) ++quarters[static_cast<std::size_t>((target.index - 1000) / 4750)];
    for (const int count : quarters) EXPECT_NEAR(count, 500, 100);  // 5 standard deviations
}

}  // namespace
}  // namespace locus
