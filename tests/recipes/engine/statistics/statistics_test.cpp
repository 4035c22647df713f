// Intervals against values worked out at 30 digits elsewhere.
#include "recipes/engine/statistics/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "framework/core/error.h"

namespace locus {
namespace {

TEST(Statistics, StudentQuantiles) {
    const std::vector<std::pair<double, double>> known = {
        {1, 12.7062047361747046},  {2, 4.30265272974946385},   {3, 3.18244630528370959},
        {4, 2.77644510519779436},  {5, 2.57058183563631551},   {9, 2.26215716279820554},
        {30, 2.04227245630123831}, {120, 1.97993040508244085}, {1000, 1.96233908082640848}};
    for (const auto& [freedom, t] : known)
        EXPECT_NEAR(student_quantile(0.975, freedom), t, 1e-12 * t) << freedom;
    // One degree is Cauchy's distribution, two have a closed form.
    for (const double p : {0.5, 0.6, 0.9, 0.999}) {
        EXPECT_NEAR(student_quantile(p, 1), std::tan(std::numbers::pi * (p - 0.5)), 1e-9);
        EXPECT_NEAR(student_quantile(p, 2), (2 * p - 1) * std::sqrt(1 / (2 * p * (1 - p))), 1e-9);
    }
    EXPECT_THROW(student_quantile(1, 3), Error);
    EXPECT_THROW(student_quantile(0.9, 0), Error);
}

TEST(Statistics, StudentInterval) {
    const std::vector<double> values = {1, 2, 4};
    const auto interval = student_interval(values);
    ASSERT_TRUE(interval.has_value());
    const double half = 4.30265272974946385 * std::sqrt((16.0 / 9 + 1.0 / 9 + 25.0 / 9) / 2 / 3);
    EXPECT_NEAR(interval->low, 7.0 / 3 - half, 1e-12);
    EXPECT_NEAR(interval->high, 7.0 / 3 + half, 1e-12);
    EXPECT_FALSE(student_interval(std::vector<double>{3}).has_value());
    EXPECT_THROW(mean_of({}), Error);
}

TEST(Statistics, WilsonHasWidthAtTheEnds) {
    const std::vector<std::pair<int, Interval>> known = {
        {0, {0, 0.1611}}, {20, {0.8389, 1}}, {10, {0.2993, 0.7007}}, {19, {0.7639, 0.9911}}};
    for (const auto& [successes, interval] : known) {
        const Interval found = wilson_interval(successes, 20);
        EXPECT_NEAR(found.low, interval.low, 5e-5);
        EXPECT_NEAR(found.high, interval.high, 5e-5);
    }
    EXPECT_EQ(wilson_interval(0, 20).low, 0);
    EXPECT_EQ(wilson_interval(20, 20).high, 1);
    EXPECT_THROW(wilson_interval(1, 0), Error);
    EXPECT_THROW(wilson_interval(3, 2), Error);
}

}  // namespace
}  // namespace locus
