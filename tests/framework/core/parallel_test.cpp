#include "framework/core/parallel.h"

#include <gtest/gtest.h>
#include <pthread.h>

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

// As `ulimit -v` with a large `ulimit -s`: the stacks of the later threads find no place.
TEST(Workers, AThreadThatCannotBeMadeIsAnError) {
    pthread_attr_t stacks, large;
    ASSERT_EQ(pthread_getattr_default_np(&stacks), 0);
    pthread_attr_init(&large);
    pthread_attr_setstacksize(&large, std::size_t{1} << 44);  // 16 TiB: the addresses hold seven
    ASSERT_EQ(pthread_setattr_default_np(&large), 0);
    try {
        Workers workers(64);
        ADD_FAILURE() << "64 threads of 16 TiB were made";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::storage);
        EXPECT_NE(std::string(error.what()).find("of 64 could be made"), std::string::npos) << error.what();
    }
    ASSERT_EQ(pthread_setattr_default_np(&stacks), 0);
    EXPECT_NO_THROW(Workers(3));
}

}  // namespace
}  // namespace locus
