#include "framework/core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <vector>

#include "framework/core/error.h"

namespace locus {
namespace {

TEST(Workers, EveryWorkerRunsOnceARound) {
    for (int count : {1, 2, 3, 7}) {
        Workers workers(count);
        EXPECT_EQ(workers.count(), count);
        std::vector<int> rounds(static_cast<std::size_t>(count));
        for (int round = 1; round <= 200; ++round) {
            workers.run([&](int worker) { ++rounds[static_cast<std::size_t>(worker)]; });
            for (int done : rounds) ASSERT_EQ(done, round);
        }
    }
}

TEST(Workers, CallerIsWorkerZero) {
    Workers workers(2);
    const auto caller = std::this_thread::get_id();
    std::vector<std::thread::id> ids(2);
    workers.run([&](int worker) { ids[static_cast<std::size_t>(worker)] = std::this_thread::get_id(); });
    EXPECT_EQ(ids[0], caller);
    EXPECT_NE(ids[1], caller);
}

TEST(Workers, RethrowTheErrorOfTheLowestAndGoOn) {
    Workers workers(3);
    std::atomic<int> reached = 0;
    const auto job = [&](int worker) {
        ++reached;
        if (worker > 0) fail(Failure::data, "worker {}", worker);
    };
    try {
        workers.run(job);
        FAIL() << "the error is lost";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "worker 1");
        EXPECT_EQ(error.kind(), Failure::data);
    }
    EXPECT_EQ(reached, 3);
    EXPECT_NO_THROW(workers.run([&](int) { ++reached; }));  // the error does not come again
    EXPECT_EQ(reached, 6);
}

TEST(Workers, RefusesNone) {
    EXPECT_THROW(Workers(0), Error);
    EXPECT_THROW(Workers(-1), Error);
}

TEST(DefaultThreads, FollowTheEnvironment) {
    setenv("OMP_NUM_THREADS", "5", 1);
    EXPECT_EQ(default_threads(), 5);
    setenv("OMP_NUM_THREADS", "3,2", 1);  // OpenMP's list: a number a level
    EXPECT_EQ(default_threads(), 3);
    for (const char* wrong : {"nonsense", "0", "-1", "4x"}) {
        setenv("OMP_NUM_THREADS", wrong, 1);
        EXPECT_THROW(default_threads(), Error) << wrong;
    }
    unsetenv("OMP_NUM_THREADS");
    const int alone = default_threads();
    EXPECT_GE(alone, 1);
    EXPECT_EQ(default_threads(1'000'000), 1);
    EXPECT_EQ(default_threads(2), std::max(1, alone / 2));
}

}  // namespace
}  // namespace locus
