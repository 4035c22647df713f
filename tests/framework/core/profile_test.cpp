#include "framework/core/profile.h"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <thread>

#include "framework/core/parallel.h"

namespace locus {
namespace {

void spend(int milliseconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

ProfileRow row_of(const ProfileReport& report, const std::string& name) {
    for (const ProfileRow& row : report.rows) {
        if (row.name == name) return row;
    }
    return {};
}

double sum_of(const ProfileReport& report) {
    double sum = std::accumulate(report.idle.begin(), report.idle.end(), 0.0);
    for (const ProfileRow& row : report.rows) sum += row.seconds();
    return sum;
}

TEST(Profile, WithoutOneAThreadHasNoLedger) {
    EXPECT_EQ(TimeLedger::current(), nullptr);
    {
        const Profile::Step step(nullptr);
        EXPECT_EQ(TimeLedger::current(), nullptr);
        const ProfiledPart part("part");
        const ProfiledPullback pullback("op");
    }
    Profile profile(1);
    {
        const Profile::Step step(&profile);
        EXPECT_NE(TimeLedger::current(), nullptr);
    }
    EXPECT_EQ(TimeLedger::current(), nullptr);
}

TEST(Profile, AnInnerPartIsNotChargedToTheOuterOne) {
    Profile profile(1);
    {
        const Profile::Step step(&profile);
        const ProfiledPart outer("outer");
        spend(4);
        {
            const ProfiledPart inner("inner");
            spend(40);
        }
        spend(4);
    }
    const ProfileReport report = profile.report();
    EXPECT_GE(row_of(report, "outer").forward, 0.008);
    EXPECT_GE(row_of(report, "inner").forward, 0.040);
    EXPECT_LT(row_of(report, "outer").forward, report.seconds - 0.040);
    EXPECT_EQ(row_of(report, "inner").calls, 1);
    EXPECT_FALSE(row_of(report, "inner").is_op);
    EXPECT_NEAR(sum_of(report), report.seconds, 1e-9);
}

TEST(Profile, APartWithinAnOpIsNotChargedToIt) {
    Profile profile(1);
    {
        const Profile::Step step(&profile);
        spend(4);
        {
            const ProfiledPart inner("packing");
            spend(40);
        }
        spend(4);
        TimeLedger::current()->op("locus::Variable locus::product(int)");
    }
    const ProfileReport report = profile.report();
    const ProfileRow op = row_of(report, "product");
    EXPECT_TRUE(op.is_op);
    EXPECT_GE(op.forward, 0.008);
    EXPECT_LT(op.forward, report.seconds - 0.040);
    EXPECT_EQ(op.calls, 1);
}

TEST(Profile, OpsWithinAPullbackBelongToIt) {
    Profile profile(1);
    {
        const Profile::Step step(&profile);
        const ProfiledPullback outer("f(x)");
        spend(5);
        TimeLedger::current()->op("g(x)");
        {
            const ProfiledPullback inner("g(x)");
            spend(5);
        }
    }
    const ProfileReport report = profile.report();
    EXPECT_GE(row_of(report, "f").backward, 0.010);
    EXPECT_EQ(row_of(report, "f").backward_calls, 1);
    EXPECT_EQ(row_of(report, "f").calls, 0);
    EXPECT_EQ(row_of(report, "g").name, "");
}

TEST(Profile, AWorkerThatWaitsIsIdleAndAJobBelongsToThePartThatAskedForIt) {
    Profile profile(2);
    Workers workers(2);
    {
        const Profile::Step step(&profile);
        const ProfiledPart part("optimizer");
        workers.run([](int worker) { spend(worker == 1 ? 40 : 1); });
    }
    workers.run([](int) { EXPECT_EQ(TimeLedger::current(), nullptr); });
    const ProfileReport report = profile.report();
    ASSERT_EQ(report.idle.size(), 2U);
    EXPECT_GE(report.idle[0], 0.030);
    EXPECT_GE(report.idle[1], 0);
    EXPECT_GE(row_of(report, "optimizer").forward, 0.041);
    EXPECT_EQ(row_of(report, "idle").name, "");
    EXPECT_NEAR(sum_of(report), 2 * report.seconds, 1e-9);
}

TEST(Profile, TheFirstTwoStepsWarmUpUnlessThereAreNoOthers) {
    for (const auto& [steps, warm_up] : {std::pair{1, 0}, {2, 1}, {3, 2}, {7, 2}}) {
        Profile profile(1);
        profile.expect(steps);
        for (int i = 0; i < steps; ++i) const Profile::Step step(&profile);
        EXPECT_EQ(profile.report().warm_up, warm_up);
        EXPECT_EQ(static_cast<int>(profile.report().step_seconds.size()), steps - warm_up);
    }
}

TEST(Profile, NamesOfFunctionsAreCutDown) {
    EXPECT_EQ(bare_function_name("locus::f32::Variable locus::f32::gelu(const locus::f32::Variable&)"),
              "gelu");
    EXPECT_EQ(bare_function_name("Variable locus::f32::{anonymous}::mapped(const F&) [with F = a::b]"),
              "mapped");
    EXPECT_EQ(bare_function_name("Variable locus::(anonymous namespace)::table(int)"), "table");
    EXPECT_EQ(bare_function_name("main"), "main");
}

}  // namespace
}  // namespace locus
