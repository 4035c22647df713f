#include "framework/core/grid_positions.h"

#include <gtest/gtest.h>

#include "framework/core/error.h"

namespace locus {
namespace {

TEST(GridPositions, CountRowsThenColumns) {
    EXPECT_TRUE(grid_positions(2, 3) == Positions(1, 6, 2, {0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2}));
    const Positions cls = grid_positions(1, 2, true);
    EXPECT_EQ(cls.length(), 3);
    EXPECT_FALSE(cls.placed(0, 0));
    EXPECT_EQ(cls(0, 2, 1), 1);
    EXPECT_THROW(grid_positions(0, 3), Error);
}

// 3 tokens of text, a grid of 2 x 3 patches, 2 tokens, and one that is decoded.
TEST(VisualPositions, TextGoesOnAfterTheGreatestNumberOfABlock) {
    VisualPositions p;
    p.text(3).block(1, 2, 3).text(2);
    EXPECT_TRUE(p.positions() ==
                Positions(1, 11, 3, {0, 0, 0, 1, 1, 1, 2, 2, 2,                             //
                                     3, 3, 3, 3, 3, 4, 3, 3, 5, 3, 4, 3, 3, 4, 4, 3, 4, 5,  //
                                     6, 6, 6, 7, 7, 7}));
    EXPECT_EQ(p.next(), 8);
    EXPECT_EQ(p.rope_delta(), 8 - 11);
    p.text(1);
    EXPECT_EQ(p.positions()(0, 11, 1), 8);
    EXPECT_EQ(p.rope_delta(), -3);
}

TEST(VisualPositions, TextAloneCountsOnEveryAxis) {
    VisualPositions p;
    p.text(4);
    EXPECT_TRUE(p.positions() == Positions(1, 4, 3, {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3}));
    EXPECT_EQ(p.rope_delta(), 0);
    EXPECT_THROW(p.block(1, 0, 2), Error);
    EXPECT_THROW(p.text(-1), Error);
}

}  // namespace
}  // namespace locus
