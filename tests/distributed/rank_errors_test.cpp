// What one rank throws, all throw, and it is said once.
#include "framework/distributed/rank_errors.h"

#include <gtest/gtest.h>

#include "tests/distributed/session.h"

namespace locus {
namespace {

std::string prefix(int rank) {
    return fmt::format("rank {} of {}: ", rank, world().size());
}

Error error_of(const std::function<void()>& job) {
    try {
        on_every_rank(world(), job);
    } catch (const Error& error) {
        return error;
    }
    return Error(Failure::check, "nothing was thrown");
}

TEST(Together, GoesOnWhereNothingIsThrown) {
    int done = 0;
    on_every_rank(world(), [&] { ++done; });
    on_root(world(), [&] { ++done; });
    EXPECT_EQ(done, world().is_root() ? 2 : 1);
}

TEST(Together, AnErrorOfOneRankIsAllRanks) {
    if (world().alone()) GTEST_SKIP() << "needs several ranks";
    for (int rank = 0; rank < world().size(); ++rank) {
        const Error error = error_of([&] {
            if (world().rank() == rank) fail(Failure::data, "no such file, {}", rank);
        });
        EXPECT_EQ(error.kind(), Failure::data);
        EXPECT_EQ(error.what(), prefix(rank) + fmt::format("no such file, {}", rank));
    }
}

TEST(Together, TheLowestRankSpeaksAndEqualErrorsNeedNoRank) {
    const Error alike = error_of([] { fail(Failure::numeric, "the loss is nan"); });
    EXPECT_EQ(alike.kind(), Failure::numeric);
    EXPECT_STREQ(alike.what(), "the loss is nan");
    if (world().alone()) return;
    const Error unequal = error_of([] { fail(Failure::storage, "disk {}", world().rank()); });
    EXPECT_EQ(unequal.what(), prefix(0) + "disk 0");
}

TEST(Together, OtherExceptionsBecomeErrors) {
    if (world().alone()) GTEST_SKIP() << "needs several ranks";
    const Error error = error_of([] {
        if (world().rank() == 1) throw std::bad_alloc();
    });
    EXPECT_EQ(error.what(), prefix(1) + "not enough memory");
}

TEST(Together, RefusesRanksThatDiffer) {
    EXPECT_NO_THROW(require_alike(world(), "corpus", "the same"));
    if (world().alone()) return;
    try {
        require_alike(world(), "corpus", world().rank() == 1 ? "b" : "a");
        FAIL() << "a difference passed";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(),
                     "corpus: expected the same on all ranks, found 'a' on rank 0 and 'b' on rank 1");
    }
}

TEST(ShareFailure, AllThatFailKnowOfEachOther) {
    const SharedFailure alike = share_failure(world(), Error(Failure::usage, "no such key"), 20);
    EXPECT_TRUE(alike.everywhere);
    EXPECT_EQ(alike.lowest, world().is_root());
    EXPECT_EQ(alike.message, "no such key");
    EXPECT_EQ(alike.code, 2);
    world().barrier();
}

TEST(ShareFailure, ARankThatFailsAloneKnowsIt) {
    if (world().alone()) GTEST_SKIP() << "needs several ranks";
    if (world().rank() == 1) {
        const SharedFailure alone = share_failure(world(), Error(Failure::data, "no corpus"), 0.1);
        EXPECT_FALSE(alone.everywhere);
        EXPECT_TRUE(alone.lowest);
        EXPECT_EQ(alone.message, prefix(1) + "no corpus");
        EXPECT_EQ(alone.code, 3);
    }
    world().barrier();  // the job would end here; the test takes the notes back instead
    if (world().rank() == 1) return;
    const SharedFailure late = share_failure(world(), Error(Failure::data, "late"), 0.5);
    EXPECT_EQ(late.lowest, world().is_root());
}

}  // namespace
}  // namespace locus
