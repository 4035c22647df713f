#include "framework/core/positions.h"

#include <gtest/gtest.h>

#include "framework/core/error.h"

namespace locus {
namespace {

TEST(Positions, Consecutive) {
    const Positions p = Positions::consecutive(4, 10);
    EXPECT_EQ(p.batch(), 1);
    EXPECT_EQ(p.length(), 4);
    EXPECT_EQ(p.axes(), 1);
    EXPECT_EQ(p(0, 3), 13);
    EXPECT_EQ(p(5, 3), 13);  // shared by every sequence
    EXPECT_TRUE(p.is_consecutive());
    EXPECT_EQ(p.min(), 10);
    EXPECT_EQ(p.max(), 13);
    EXPECT_TRUE(p == Positions(1, 4, 1, {10, 11, 12, 13}));
    EXPECT_FALSE(p == Positions::consecutive(4));
    EXPECT_FALSE(p == Positions(2, 2, 1, {10, 11, 12, 13}));
}

TEST(Positions, RowsOfABatchAndTokensWithoutOne) {
    const Positions p(2, 3, 1, {Positions::none, 0, 1, -5, 7, 8});
    EXPECT_EQ(p(0, 0), Positions::none);
    EXPECT_EQ(p(1, 0), -5);
    EXPECT_EQ(p.row(1)[2], 8);
    EXPECT_FALSE(p.is_consecutive());
    EXPECT_EQ(p.min(), -5);
    EXPECT_EQ(p.max(), 8);
    const Positions nowhere(1, 2, 1, {Positions::none, Positions::none});
    EXPECT_EQ(nowhere.min(), 0);
    EXPECT_EQ(nowhere.max(), 0);
    EXPECT_FALSE(nowhere.is_consecutive());
    EXPECT_FALSE(Positions(1, 3, 1, {0, 1, 3}).is_consecutive());
    EXPECT_TRUE(Positions(2, 2, 1, {0, 1, 5, 6}).is_consecutive());
}

TEST(Positions, RowsOfABatchAreAView) {
    const Positions p(3, 2, 1, {0, 1, 5, Positions::none, 7, 9});
    const Positions part = p.rows(1, 2);
    EXPECT_EQ(part.batch(), 2);
    EXPECT_EQ(part(0, 0), 5);
    EXPECT_EQ(part(1, 1), 9);
    EXPECT_EQ(part.min(), 5);
    EXPECT_EQ(part.max(), 9);
    EXPECT_TRUE(part == Positions(2, 2, 1, {5, Positions::none, 7, 9}));
    EXPECT_FALSE(part == p.rows(0, 2));
    EXPECT_TRUE(part.rows(1, 1) == Positions(1, 2, 1, {7, 9}));
    EXPECT_EQ(p.rows(0, 1).row(0), p.row(0));  // the same memory
    const Positions shared = Positions::consecutive(4);
    EXPECT_TRUE(shared.rows(2, 5) == shared);
    EXPECT_THROW(p.rows(2, 2), Error);
    EXPECT_THROW(p.rows(-1, 2), Error);
}

TEST(Positions, SeveralAxes) {
    const Positions p(1, 2, 3, {0, 1, 2, 3, 4, 5});
    EXPECT_EQ(p(0, 1, 0), 3);
    EXPECT_EQ(p(0, 1, 2), 5);
    EXPECT_FALSE(p.is_consecutive());
    EXPECT_EQ(p.max(), 5);
}

TEST(Positions, RefusesAnotherCount) {
    EXPECT_THROW(Positions(1, 3, 1, {0, 1}), Error);
    EXPECT_THROW(Positions(0, 3, 1, {}), Error);
    EXPECT_THROW(Positions(1, 1, 4, {0, 1, 2, 3}), Error);
    EXPECT_THROW(Positions(1, 2, 2, {0, 1, Positions::none, 3}), Error);
    const Positions cls(1, 2, 2, {Positions::none, Positions::none, 0, 1});
    EXPECT_FALSE(cls.placed(0, 0));
    EXPECT_TRUE(cls.placed(0, 1));
}

}  // namespace
}  // namespace locus
