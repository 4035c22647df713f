#include "recipes/engine/measure/windows.h"

#include <gtest/gtest.h>

#include <numeric>

#include "framework/core/error.h"

namespace locus {
namespace {

/// Indices of the scored targets, in the order in which windows and places come.
std::vector<Index> scored(const std::vector<Window>& windows) {
    std::vector<Index> indices;
    for (const Window& window : windows) {
        for (Index place = window.first; place < window.inputs; ++place)
            indices.push_back(window.start + place + 1);
    }
    return indices;
}

std::vector<Index> all_but_the_first(Index tokens) {
    std::vector<Index> indices(static_cast<std::size_t>(tokens - 1));
    std::iota(indices.begin(), indices.end(), Index{1});
    return indices;
}

TEST(Windows, scoreEveryTokenButTheFirstOnceAtEveryStride) {
    for (Index stride = 1; stride <= 256; ++stride)
        EXPECT_EQ(scored(sliding_windows(0, 1000, 256, stride)), all_but_the_first(1000)) << stride;
    EXPECT_EQ(sliding_windows(0, 1000, 256, 128).size(), 7u);
    EXPECT_EQ(sliding_windows(0, 1000, 256, 256).size(), 4u);
    EXPECT_EQ(sliding_windows(0, 1000, 256, 100).size(), 9u);
}

TEST(Windows, scoreEveryTokenButTheFirstOnceAtEveryDocumentLength) {
    for (Index tokens = 2; tokens <= 70; ++tokens) {
        EXPECT_EQ(scored(sliding_windows(0, tokens, 16, 16)), all_but_the_first(tokens)) << tokens;
        EXPECT_EQ(scored(sliding_windows(0, tokens, 16, 5)), all_but_the_first(tokens)) << tokens;
    }
    EXPECT_TRUE(sliding_windows(0, 1, 16, 16).empty());
    EXPECT_TRUE(sliding_windows(0, 0, 16, 16).empty());
}

TEST(Windows, stayInsideTheirDocumentAndFillSlotsInOrder) {
    Index slot = 100;
    for (const Window& window : sliding_windows(3, 1000, 256, 100, slot)) {
        EXPECT_EQ(window.document, 3);
        EXPECT_GE(window.start, 0);
        EXPECT_LE(window.start + window.inputs, 999);  // the last target is token 999
        EXPECT_LE(window.inputs, 256);
        EXPECT_EQ(window.slot, slot);
        EXPECT_EQ(window.slot, 100 + window.start + window.first);
        slot += window.scored();
    }
    EXPECT_EQ(slot, 100 + 999);
}

TEST(Windows, giveLaterTokensAtLeastTheOverlapAsContext) {
    for (const Window& window : sliding_windows(0, 1000, 256, 32)) {
        EXPECT_GE(window.first, window.start > 0 ? 256 - 32 : 0);
    }
}

TEST(Windows, refuseStridesThatLeaveTokensOut) {
    EXPECT_THROW(sliding_windows(0, 100, 16, 17), Error);
    EXPECT_THROW(sliding_windows(0, 100, 16, 0), Error);
    EXPECT_THROW(sliding_windows(0, 100, 0, 0), Error);
}

TEST(Windows, ofFullLengthNeedOneTokenMore) {
    EXPECT_TRUE(full_windows(0, 64, 64, 64).empty());
    EXPECT_EQ(full_windows(0, 65, 64, 64), (std::vector<Window>{{0, 0, 64, 0, 0}}));
    EXPECT_EQ(full_windows(0, 128, 64, 64).size(), 1u);
    EXPECT_EQ(full_windows(2, 129, 64, 10, 7), (std::vector<Window>{{2, 0, 10, 0, 7}, {2, 64, 10, 0, 71}}));
}

TEST(Windows, ofATargetHaveExactlyTheContext) {
    const Window window = target_window(1, 100, 64, 5);
    EXPECT_EQ(window.start, 36);
    EXPECT_EQ(window.inputs, 64);
    EXPECT_EQ(window.scored(), 1);
    EXPECT_EQ(window.start + window.first + 1, 100);
    EXPECT_EQ(window.slot, 5);
    EXPECT_EQ(target_window(1, 64, 64, 0).start, 0);
    EXPECT_THROW(target_window(1, 63, 64, 0), Error);
}

TEST(Windows, moveByAnEighthByDefault) {
    EXPECT_EQ(default_stride(256), 32);
    EXPECT_EQ(default_stride(5), 1);
}

TEST(PositionEdges, areTwoAnOctaveAndCoverTheLength) {
    EXPECT_EQ(position_edges(64), (std::vector<Index>{0, 1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64}));
    EXPECT_EQ(position_edges(20), (std::vector<Index>{0, 1, 2, 3, 4, 6, 8, 11, 16, 20}));
    EXPECT_EQ(position_edges(1), (std::vector<Index>{0, 1}));
}

}  // namespace
}  // namespace locus
