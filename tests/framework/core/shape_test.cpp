#include "framework/core/shape.h"

#include <gtest/gtest.h>

namespace locus {
namespace {

TEST(Shape, CountsAndNamesItsAxes) {
    const Shape shape{2, 3, 4};
    EXPECT_EQ(shape.rank(), 3);
    EXPECT_EQ(shape.count(), 24);
    EXPECT_EQ(shape[-1], 4);
    EXPECT_EQ(shape[0], 2);
    EXPECT_EQ(to_string(shape), "[2, 3, 4]");
    EXPECT_EQ(fmt::format("{} {}", shape, Shape{}), "[2, 3, 4] []");
    EXPECT_EQ(Shape{}.count(), 1);
    EXPECT_EQ((Shape{2, 0}).count(), 0);
    EXPECT_THROW(shape[3], Error);
    EXPECT_THROW(shape[-4], Error);
    EXPECT_THROW((Shape{1, -1}), Error);
    EXPECT_THROW((Shape{1, 1, 1, 1, 1, 1, 1}), Error);
}

TEST(Shape, Broadcasts) {
    EXPECT_EQ(broadcast({2, 3}, {2, 3}), (Shape{2, 3}));
    EXPECT_EQ(broadcast({3}, {2, 1}), (Shape{2, 3}));
    EXPECT_EQ(broadcast({}, {2, 1}), (Shape{2, 1}));
    EXPECT_EQ(broadcast({1, 1, 4}, {5, 1}), (Shape{1, 5, 4}));
    EXPECT_THROW(broadcast({2}, {3}), Error);
    EXPECT_THROW(broadcast({2, 3}, {3, 2}), Error);
}

}  // namespace
}  // namespace locus
