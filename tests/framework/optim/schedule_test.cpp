#include "framework/optim/schedule.h"

#include <gtest/gtest.h>

namespace locus {
namespace {

// Warm-up 4 of 20, 1e-3 to 1e-4 by a cosine.
TEST(Schedule, CosineValues) {
    const ScheduleOptions options{.warmup_steps = 4, .steps = 20};
    const auto at = [&](Index step) { return learning_rate(options, step); };
    EXPECT_DOUBLE_EQ(at(1), 2.5e-4);
    EXPECT_DOUBLE_EQ(at(2), 5e-4);
    EXPECT_DOUBLE_EQ(at(3), 7.5e-4);
    EXPECT_DOUBLE_EQ(at(4), 1e-3);
    EXPECT_NEAR(at(5), 9.91353e-4, 5e-10);
    EXPECT_NEAR(at(7), 9.24161e-4, 5e-10);
    EXPECT_NEAR(at(8), 8.68198e-4, 5e-10);
    EXPECT_DOUBLE_EQ(at(12), 5.5e-4);
    EXPECT_DOUBLE_EQ(at(20), 1e-4);
    EXPECT_DOUBLE_EQ(at(21), 1e-4);
}

TEST(Schedule, LinearAndConstant) {
    ScheduleOptions options{
        .schedule = Schedule::linear, .lr = 1, .min_lr = 0.2, .warmup_steps = 2, .steps = 10};
    EXPECT_DOUBLE_EQ(learning_rate(options, 1), 0.5);
    EXPECT_DOUBLE_EQ(learning_rate(options, 2), 1);
    EXPECT_DOUBLE_EQ(learning_rate(options, 6), 0.6);
    EXPECT_DOUBLE_EQ(learning_rate(options, 10), 0.2);
    options.schedule = Schedule::constant;
    EXPECT_DOUBLE_EQ(learning_rate(options, 1), 0.5);
    EXPECT_DOUBLE_EQ(learning_rate(options, 10), 1);
}

TEST(Schedule, WithoutWarmupAndAtItsEdges) {
    ScheduleOptions options{.lr = 1, .min_lr = 0, .warmup_steps = 0, .steps = 2};
    EXPECT_DOUBLE_EQ(learning_rate(options, 1), 0.5);
    EXPECT_NEAR(learning_rate(options, 2), 0, 1e-16);
    options.warmup_steps = 2;  // all of it is warm-up
    EXPECT_DOUBLE_EQ(learning_rate(options, 2), 1);
}

}  // namespace
}  // namespace locus
