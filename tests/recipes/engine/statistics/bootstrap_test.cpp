#include "recipes/engine/statistics/bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "framework/core/random.h"

namespace locus {
namespace {

TokenSum of_mean(double mean, Index tokens) {
    return {mean * static_cast<double>(tokens), tokens};
}

TEST(TokenSum, weighsWindowsByTheirTokens) {
    TokenSum windows;
    for (const auto& [mean, tokens] : {std::pair{2.0, 10}, {1.0, 5}, {1.0, 5}, {4.0, 2}})
        windows.add(of_mean(mean, tokens));
    EXPECT_NEAR(windows.perplexity(), 5.6253, 5e-5);

    TokenSum batches;
    batches.add(of_mean(1.0, 10));
    batches.add(of_mean(3.0, 30));
    EXPECT_NEAR(batches.perplexity(), 12.1825, 5e-5);
}

TEST(Clusters, numberOnlyKeysThatHaveTokens) {
    const Clusters clusters = make_clusters(std::vector<Index>{2, 2, 5, 9, 9, 9}, "documents");
    EXPECT_EQ(clusters.count, 3);
    EXPECT_EQ(clusters.of, (std::vector<Index>{0, 0, 1, 2, 2, 2}));
    const auto sums = sum_by_cluster(clusters, std::vector<double>{1, 2, 4, 8, 16, 32});
    EXPECT_EQ(sums[0].nats, 3);
    EXPECT_EQ(sums[1].nats, 4);
    EXPECT_EQ(sums[2].nats, 56);
    EXPECT_EQ(sums[2].tokens, 3);
    const auto some = sum_by_cluster(clusters, std::vector<double>{1, 2, 4, 8, 16, 32},
                                     {true, false, true, false, false, true});
    EXPECT_EQ(some[0].nats, 1);
    EXPECT_EQ(some[2].nats, 32);
    EXPECT_EQ(some[2].tokens, 1);
}

// Clusters of independent normal means: the percentile interval must be close to mean +- 1.96 sd / sqrt(n).
TEST(Bootstrap, agreesWithTheNormalIntervalOfClusterMeans) {
    constexpr Index count = 400;
    RandomStream stream(3, Purpose::test, {0});
    std::vector<TokenSum> clusters;
    double sum = 0, squares = 0;
    for (Index c = 0; c < count; ++c) {
        const double mean = 2 + 0.5 * stream.normal();
        clusters.push_back(of_mean(mean, 100));
        sum += mean;
        squares += mean * mean;
    }
    const double mean = sum / count, deviation = std::sqrt(squares / count - mean * mean);
    const double half = 1.96 * deviation / std::sqrt(static_cast<double>(count));
    const std::vector<std::vector<TokenSum>> statistics = {clusters};
    const auto interval = bootstrap(statistics)[0];
    ASSERT_TRUE(interval);
    EXPECT_NEAR(interval->low, mean - half, 0.15 * half);
    EXPECT_NEAR(interval->high, mean + half, 0.15 * half);
}

TEST(Bootstrap, isTokenWeightedWithinAReplicate) {
    // Two clusters, drawn as (a, a), (a, b) or (b, b): the means are those of their tokens.
    const std::vector<std::vector<TokenSum>> statistics = {{of_mean(1, 99), of_mean(2, 1)}};
    const auto interval = bootstrap(statistics)[0];
    ASSERT_TRUE(interval);
    EXPECT_DOUBLE_EQ(interval->low, 1);
    EXPECT_DOUBLE_EQ(interval->high, 2);
}

TEST(Bootstrap, hasNoSpreadWhereClustersAgree) {
    const std::vector<std::vector<TokenSum>> statistics = {std::vector<TokenSum>(10, of_mean(0, 50)),
                                                           std::vector<TokenSum>(10, of_mean(0.5, 8))};
    const auto intervals = bootstrap(statistics);
    ASSERT_TRUE(intervals[0] && intervals[1]);
    EXPECT_EQ(intervals[0]->low, 0);
    EXPECT_EQ(intervals[0]->high, 0);
    EXPECT_EQ(intervals[1]->low, 0.5);
    EXPECT_EQ(intervals[1]->high, 0.5);
}

TEST(Bootstrap, saysNothingWhereItCannot) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<std::vector<TokenSum>> statistics = {
        {}, {of_mean(1, 5)}, {of_mean(1, 5), {nan, 5}}, {of_mean(1, 5), of_mean(2, 5)}};
    const auto intervals = bootstrap(statistics);
    EXPECT_FALSE(intervals[0]);
    EXPECT_FALSE(intervals[1]);
    EXPECT_FALSE(intervals[2]);
    EXPECT_TRUE(intervals[3]);
    EXPECT_EQ(interval_method({{0}, 1, "documents"}).substr(0, 4), "none");
    EXPECT_EQ(interval_method({{0, 1}, 2, "documents"}),
              "95 % percentile bootstrap, 1000 replicates over 2 documents");
}

}  // namespace
}  // namespace locus
