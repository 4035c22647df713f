// Sampling: each idea against values worked out by hand.
#include "models/sampling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "framework/core/error.h"

namespace locus {
namespace {

const std::vector<double> logits{std::log(0.1), std::log(0.4), std::log(0.2), std::log(0.3)};

RandomStream sampling_stream(std::uint64_t step) {
    return RandomStream(1, Purpose::sampling, {0, step});
}

std::vector<Token> tokens_of(const std::vector<Candidate>& candidates) {
    std::vector<Token> tokens;
    for (const Candidate& candidate : candidates) tokens.push_back(candidate.token);
    return tokens;
}

TEST(Sampling, OrdersCandidatesByProbability) {
    const auto all = candidates(logits, 1);
    EXPECT_EQ(tokens_of(all), (std::vector<Token>{1, 3, 2, 0}));
    EXPECT_NEAR(all[0].probability, 0.4, 1e-15);
    EXPECT_NEAR(all[3].probability, 0.1, 1e-15);
    const auto equal = candidates(std::vector<double>{2, 2, 2}, 1);
    EXPECT_EQ(tokens_of(equal), (std::vector<Token>{0, 1, 2}));
}

TEST(Sampling, TemperatureRaisesProbabilitiesToAPower) {
    // p^2: 0.01, 0.16, 0.04, 0.09 of 0.3
    EXPECT_NEAR(candidates(logits, 0.5)[0].probability, 0.16 / 0.3, 1e-12);
    EXPECT_NEAR(candidates(logits, 0.5)[3].probability, 0.01 / 0.3, 1e-12);
    EXPECT_NEAR(candidates(logits, 1e6)[0].probability, 0.25, 1e-5);
    EXPECT_EQ(candidates(std::vector<double>{1000, 0, -1000}, 1e-3)[0].probability, 1);
}

TEST(Sampling, KeepsTheTopKAndTheTopP) {
    const auto kept = [](Index k, double p) {
        auto left = candidates(logits, 1);
        if (k > 0) keep_top_k(left, k);
        keep_top_p(left, p);
        return tokens_of(left);
    };
    EXPECT_EQ(kept(2, 1), (std::vector<Token>{1, 3}));
    EXPECT_EQ(kept(0, 0.05), (std::vector<Token>{1}));
    EXPECT_EQ(kept(0, 0.41), (std::vector<Token>{1, 3}));
    EXPECT_EQ(kept(0, 0.69), (std::vector<Token>{1, 3}));
    EXPECT_EQ(kept(0, 0.71), (std::vector<Token>{1, 3, 2}));
    EXPECT_EQ(kept(0, 1), (std::vector<Token>{1, 3, 2, 0}));
    EXPECT_EQ(kept(2, 0.5), (std::vector<Token>{1}));  // 0.4 / 0.7 is enough
}

TEST(Sampling, DrawsByProbability) {
    std::vector<double> counts(4);
    const SamplingOptions plain, cut{.top_k = 2};
    for (std::uint64_t i = 0; i < 20000; ++i) {
        ++counts[static_cast<std::size_t>(sample_token(logits, plain, sampling_stream(i)))];
        EXPECT_EQ(sample_token(logits, cut, sampling_stream(i)) % 2, 1);
    }
    for (std::size_t i = 0; i < 4; ++i)  // 5 standard deviations
        EXPECT_NEAR(counts[i] / 20000, std::exp(logits[i]), 5 * std::sqrt(0.25 / 20000));
}

TEST(Sampling, DependsOnSeedSequenceAndStepOnly) {
    const std::vector<double> even(256, 0.0);
    const auto token = [&](std::uint64_t seed, std::uint64_t sequence, std::uint64_t step) {
        return sample_token(even, {}, RandomStream(seed, Purpose::sampling, {sequence, step}));
    };
    EXPECT_EQ(token(1, 2, 3), token(1, 2, 3));
    EXPECT_FALSE(token(1, 2, 3) == token(2, 2, 3) && token(1, 2, 4) == token(2, 2, 4));
    EXPECT_FALSE(token(1, 2, 3) == token(1, 3, 2) && token(1, 4, 7) == token(1, 7, 4));
}

TEST(Sampling, GreedyTakesTheFirstOfTheLargest) {
    EXPECT_EQ(max_probable(logits), 1);
    EXPECT_EQ(max_probable(std::vector<double>{0, 3, 3}), 1);
    EXPECT_EQ(sample_token(logits, {.greedy = true}, sampling_stream(0)), 1);
}

TEST(Sampling, SurpriseIsTheLossOfAToken) {
    EXPECT_NEAR(surprise(logits, 2), -std::log(0.2), 1e-12);
    EXPECT_NEAR(surprise(std::vector<double>{1000, 0}, 1), 1000, 1e-9);
}

TEST(Sampling, RefusesWhatMakesNoSense) {
    EXPECT_NO_THROW(check({}, 4));
    EXPECT_NO_THROW(check({.temperature = 0.1, .top_k = 4, .top_p = 0.5}, 4));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const SamplingOptions& options : std::vector<SamplingOptions>{{.temperature = 0},
                                                                       {.temperature = -1},
                                                                       {.temperature = nan},
                                                                       {.top_k = -1},
                                                                       {.top_k = 5},
                                                                       {.top_p = 0},
                                                                       {.top_p = 1.1},
                                                                       {.top_p = nan},
                                                                       {.greedy = true, .temperature = 0.5},
                                                                       {.greedy = true, .top_k = 2},
                                                                       {.greedy = true, .top_p = 0.9}})
        EXPECT_THROW(check(options, 4), Error);
    for (double bad : {nan, std::numeric_limits<double>::infinity()}) {
        try {
            sample_token(std::vector<double>{0, bad}, {}, sampling_stream(0));
            ADD_FAILURE();
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Failure::numeric);
        }
    }
}

}  // namespace
}  // namespace locus
