#include "framework/core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "framework/core/error.h"

namespace locus {
namespace {

using Words = std::array<std::uint32_t, 4>;

// Philox 4x32-10 written out from its paper (doi:10.1145/2063384.2063405).
Words philox(Words counter, std::array<std::uint32_t, 2> key) {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0],
                            b = std::uint64_t{0xCD9E8D57} * counter[2];
        counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
                   static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
        key = {key[0] + 0x9E3779B9, key[1] + 0xBB67AE85};
    }
    return counter;
}

// The known answers that Random123 publishes for philox4x32 with 10 rounds.
TEST(Random, PhiloxKnownAnswers) {
    EXPECT_EQ(philox({}, {}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    constexpr std::uint32_t all = 0xffffffff;
    EXPECT_EQ(philox({all, all, all, all}, {all, all}),
              (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
              (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, StreamIsPhiloxOfSeedPurposeAndIndex) {
    const std::uint64_t index[] = {3, 5}, seed = 0x0123456789abcdefU;
    const std::uint64_t place = name_index({reinterpret_cast<const char*>(index), sizeof index});
    RandomStream stream(seed, Purpose::dropout, {3, 5});
    for (std::uint32_t block = 0; block < 3; ++block) {
        const Words words =
            philox({block, static_cast<std::uint32_t>(Purpose::dropout), static_cast<std::uint32_t>(place),
                    static_cast<std::uint32_t>(place >> 32)},
                   {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
        for (std::uint32_t word : words) EXPECT_EQ(stream.bits(), word);
    }
}

TEST(Random, NameIsHashedByXxh3) {
    EXPECT_EQ(name_index(""), 0x2d06800538d394c2U);  // the value that xxHash publishes for the empty text
    EXPECT_NE(name_index("a"), name_index("b"));
}

TEST(Random, StreamsDifferByEveryKey) {
    const auto first = [](std::uint64_t seed, Purpose purpose, std::initializer_list<std::uint64_t> index) {
        return RandomStream(seed, purpose, index).bits64();
    };
    const std::uint64_t base = first(1, Purpose::test, {2, 3});
    EXPECT_EQ(base, first(1, Purpose::test, {2, 3}));
    EXPECT_NE(base, first(2, Purpose::test, {2, 3}));
    EXPECT_NE(base, first(std::uint64_t{1} << 40 | 1, Purpose::test, {2, 3}));
    EXPECT_NE(base, first(1, Purpose::targets, {2, 3}));
    EXPECT_NE(base, first(1, Purpose::test, {3, 2}));
    EXPECT_NE(base, first(1, Purpose::test, {2, 3, 0}));
}

TEST(Random, UniformFillsTheUnitIntervalEvenly) {
    RandomStream stream(7, Purpose::test, {});
    constexpr int draws = 160000, bins = 16;
    std::array<int, bins> count{};
    for (int i = 0; i < draws; ++i) {
        const double u = stream.uniform();
        ASSERT_GE(u, 0);
        ASSERT_LT(u, 1);
        ++count[static_cast<std::size_t>(u * bins)];
    }
    double chi2 = 0;
    for (int c : count) chi2 += (c - draws / bins) * (c - draws / bins) / static_cast<double>(draws / bins);
    EXPECT_LT(chi2, 37.7);  // 15 degrees of freedom, 0.1 %
}

TEST(Random, NormalHasItsMoments) {
    RandomStream stream(7, Purpose::test, {1});
    constexpr int draws = 200000;
    double sum = 0, squares = 0, fourth = 0;
    for (int i = 0; i < draws; ++i) {
        const double x = stream.normal();
        ASSERT_TRUE(std::isfinite(x));
        sum += x;
        squares += x * x;
        fourth += x * x * x * x;
    }
    EXPECT_NEAR(sum / draws, 0, 0.01);
    EXPECT_NEAR(squares / draws, 1, 0.015);
    EXPECT_NEAR(fourth / draws, 3, 0.12);
}

TEST(Random, BelowIsInRangeAndEven) {
    RandomStream stream(7, Purpose::test, {2});
    std::array<int, 6> count{};
    for (int i = 0; i < 60000; ++i) ++count.at(stream.below(6));
    for (int c : count) EXPECT_NEAR(c, 10000, 400);
    EXPECT_EQ(stream.below(1), 0U);
    EXPECT_LT(stream.below(std::uint64_t{1} << 63 | 1), std::uint64_t{1} << 63 | 1);
    EXPECT_THROW(stream.below(0), Error);
}

TEST(Random, PermutationHasEveryNumberOnce) {
    std::vector<Index> order = permutation(100, RandomStream(1, Purpose::data_order, {0}));
    EXPECT_EQ(order, permutation(100, RandomStream(1, Purpose::data_order, {0})));
    EXPECT_NE(order, permutation(100, RandomStream(1, Purpose::data_order, {1})));
    EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
    std::sort(order.begin(), order.end());
    for (Index i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
    EXPECT_TRUE(permutation(0, RandomStream(1, Purpose::test, {})).empty());
}

}  // namespace
}  // namespace locus
