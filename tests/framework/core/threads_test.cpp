#include "framework/core/threads.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "framework/core/error.h"

namespace locus {
namespace {

class Threads : public testing::Test {
  protected:
    void SetUp() override { unsetenv("OMP_NUM_THREADS"); }
    void TearDown() override { unsetenv("OMP_NUM_THREADS"); }
};

int number(const ThreadRequest& request) {
    return choose_threads(request).threads;
}

TEST_F(Threads, AreTheAllowedCoresWhereNothingIsSaid) {
    EXPECT_GE(allowed_cores(), 1);
    EXPECT_EQ(number({.cores = 8}), 8);
    EXPECT_EQ(number({.ranks = 3, .cores = 8}), 2);
    EXPECT_EQ(number({.ranks = 9, .cores = 8}), 1);
    EXPECT_TRUE(choose_threads({.ranks = 3, .cores = 8}).notes.empty());
}

TEST_F(Threads, ThatAreAskedForEndAtFourForEachCore) {
    EXPECT_EQ(number({.wanted = 2, .cores = 2}), 2);
    EXPECT_EQ(number({.wanted = 8, .cores = 2}), 8);
    for (const long wanted : {9L, 100'000L, 1L << 40}) {
        try {
            choose_threads({.wanted = wanted, .cores = 2});
            ADD_FAILURE() << wanted;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Failure::usage);
            const std::string said = error.what();
            for (const std::string& part :
                 {std::string("at most 8"), std::to_string(wanted), std::string("2 cores")})
                EXPECT_NE(said.find(part), std::string::npos) << said;
        }
    }
}

TEST_F(Threads, BeyondTheCoresAreTold) {
    EXPECT_TRUE(choose_threads({.wanted = 2, .cores = 2}).notes.empty());
    EXPECT_EQ(choose_threads({.wanted = 3, .cores = 2}).notes.size(), 1);
    const ThreadChoice choice = choose_threads({.wanted = 4, .ranks = 2, .cores = 4});
    EXPECT_EQ(choice.threads, 4);
    ASSERT_EQ(choice.notes.size(), 1);
    EXPECT_NE(choice.notes.front().find("2 ranks x 4 on 4 cores"), std::string::npos) << choice.notes.front();
}

TEST_F(Threads, OfTheEnvironmentAreCutToTheCores) {
    setenv("OMP_NUM_THREADS", "5", 1);
    EXPECT_EQ(number({.cores = 8}), 5);
    EXPECT_EQ(number({.wanted = 3, .cores = 8}), 3);
    setenv("OMP_NUM_THREADS", "3,2", 1);  // OpenMP's list: a number per level
    EXPECT_EQ(number({.cores = 8}), 3);
    setenv("OMP_NUM_THREADS", "999999", 1);
    const ThreadChoice cut = choose_threads({.cores = 8});
    EXPECT_EQ(cut.threads, 8);
    ASSERT_EQ(cut.notes.size(), 1);
    EXPECT_NE(cut.notes.front().find("OMP_NUM_THREADS is 999999"), std::string::npos) << cut.notes.front();
    for (const char* wrong : {"nonsense", "0", "-1", "4x", "99999999999999999999"}) {
        setenv("OMP_NUM_THREADS", wrong, 1);
        EXPECT_THROW(choose_threads({.cores = 8}), Error) << wrong;
    }
}

}  // namespace
}  // namespace locus
