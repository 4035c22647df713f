// Who sees whom: against the definition, against reference masks, and as ranges.
#include "framework/ops/mask.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/tensors.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

nlohmann::json oracle() {
    std::ifstream file(LOCUS_ORACLES "/attention_masks.json");
    return nlohmann::json::parse(file);
}

void expect_mask(const Mask& mask, const nlohmann::json& expected) {
    const auto length = static_cast<Index>(expected.size());
    for (Index i = 0; i < length; ++i) {
        for (Index j = 0; j < length; ++j) {
            EXPECT_EQ(mask.allows(0, i, j, length, length), expected[i][j].get<int>() == 1) << i << ", " << j;
        }
    }
}

TEST(Mask, AgreesWithReferenceMasks) {
    const nlohmann::json masks = oracle();
    expect_mask(Mask{.causal = true, .window = 3}, masks["causal_W3"]);
    expect_mask(Mask{.causal = true, .window = 3, .global = 1}, masks["causal_W3_global0"]);
    // one neighbour on either side: a window of two, the query included
    expect_mask(Mask{.causal = false, .window = 2, .global = 1}, masks["longformer_w1_global0"]);
    expect_mask(Mask{.causal = false, .window = 2, .dilation = 2}, masks["dilated_w1_d2"]);
}

Index pairs(const Mask& mask, Index length) {
    Index count = 0;
    for (Index i = 0; i < length; ++i)
        for (Index j = 0; j < length; ++j) count += mask.allows(0, i, j, length, length) ? 1 : 0;
    return count;
}

TEST(Mask, WindowCountsTheQueryItself) {
    EXPECT_EQ(pairs({.window = 4}, 10), 34);  // 1 + 2 + 3 + 7 * 4
    EXPECT_EQ(pairs({.window = 1}, 10), 10);
    for (Index i = 0; i < 10; ++i) EXPECT_TRUE(Mask{.window = 1}.allows(0, i, i, 10, 10));
    for (Index window : {10, 11, 1000}) EXPECT_EQ(pairs({.window = window}, 10), 55);
    EXPECT_EQ(pairs({.causal = false, .window = 4}, 10), 2 * 34 - 10);
    EXPECT_EQ(pairs({.window = 3, .dilation = 2}, 10), 24);  // 1, 1, 2, 2, 6 * 3
}

// A key that is local and global is one key; the row of a global token ends at the token.
TEST(Mask, GlobalTokensSeeAllAndAreSeenByAll) {
    EXPECT_EQ(pairs({.window = 2, .global = 3}, 8), 1 + 2 + 3 + 4 + 4 * 5);
    EXPECT_EQ(pairs({.window = 2, .dilation = 3, .global = 8}, 8), 36);
    EXPECT_EQ(pairs({.causal = false, .window = 1, .global = 8}, 8), 64);
    EXPECT_EQ(pairs({.causal = false, .window = 1, .global = 2}, 8), 2 * 8 + 6 * 3);
}

// The rule, once more and directly.
bool sees(const Mask& m, Index b, Index i, Index j, Index queries, Index keys) {
    const Index index = m.query_offset + i;
    if (m.causal && j > index) return false;
    if (m.rows == Mask::Rows::global && index >= m.global) return false;
    if (m.rows == Mask::Rows::local && index < m.global) return false;
    const Index distance = std::abs(index - j);
    const bool near =
        m.window == 0 || (distance <= (m.window - 1) * m.dilation && distance % m.dilation == 0);
    if (!near && index >= m.global && j >= m.global) return false;
    if (m.query_segments.empty()) return true;
    const auto query = m.query_segments[static_cast<std::size_t>(b * queries + i)];
    const auto key = m.key_segments[static_cast<std::size_t>(b * keys + j)];
    return query >= 0 && query == key;
}

// `kind` 0: none, 1: in order, 2: interleaved, 3: with padding before and after.
void set_segments(Mask& mask, int kind, Index queries, Index keys) {
    const auto segment = [&](Index j) -> std::int32_t {
        if (kind == 1) return static_cast<std::int32_t>(j / 4);
        if (kind == 2) return static_cast<std::int32_t>(j % 3);
        return j < 2 || j > keys - 3 ? -1 : static_cast<std::int32_t>(j / 5);
    };
    for (Index b = 0; b < 2 && kind > 0; ++b) {
        for (Index j = 0; j < keys; ++j) mask.key_segments.push_back(segment(j + b));
        for (Index i = 0; i < queries; ++i) mask.query_segments.push_back(segment(mask.query_offset + i + b));
    }
}

void check(const Mask& mask, Index queries, Index keys) {
    SCOPED_TRACE(fmt::format("causal {} window {} dilation {} global {} rows {} offset {} [{}, {}]",
                             mask.causal, mask.window, mask.dilation, mask.global,
                             static_cast<int>(mask.rows), mask.query_offset, queries, keys));
    for (Index b = 0; b < 2; ++b) {
        const MaskRanges ranges = mask_ranges(mask, b, queries, keys);
        for (Index i = 0; i < queries; ++i) {
            const KeyRange range = ranges.queries[static_cast<std::size_t>(i)];
            for (Index j = 0; j < keys; ++j) {
                const bool seen = sees(mask, b, i, j, queries, keys);
                ASSERT_EQ(mask.allows(b, i, j, queries, keys), seen) << b << ", " << i << ", " << j;
                const bool asked = range.residue == KeyRange::any || j % ranges.dilation == range.residue;
                bool in_range = j <= range.last && ((j >= range.first && asked) || j < ranges.global);
                if (ranges.by_segment) {
                    const auto query = mask.query_segments[static_cast<std::size_t>(b * queries + i)];
                    in_range = in_range && query >= 0 &&
                               query == mask.key_segments[static_cast<std::size_t>(b * keys + j)];
                }
                ASSERT_EQ(in_range, seen) << "range, " << b << ", " << i << ", " << j;
            }
        }
    }
}

TEST(Mask, FollowsItsRuleEverywhere) {
    for (bool causal : {true, false}) {
        for (Index window : {0, 1, 3, 40}) {
            for (Index global : {0, 1, 4}) {
                for (Index offset : {0, 3, 9}) {
                    for (int kind : {0, 1, 2, 3}) {
                        Mask mask{
                            .causal = causal, .window = window, .global = global, .query_offset = offset};
                        set_segments(mask, kind, 8, 19);
                        check(mask, 8, 19);
                        for (Index dilation : {2, 5, 30}) {
                            mask.dilation = window > 0 ? dilation : 1;
                            check(mask, 8, 19);
                        }
                        for (auto rows : {Mask::Rows::global, Mask::Rows::local}) {
                            mask.rows = rows;
                            check(mask, 8, 19);
                        }
                    }
                }
            }
        }
    }
}

TEST(Mask, RefusesWhatDoesNotFit) {
    EXPECT_THROW(Mask{}.check(1, 5, 4), Error);
    EXPECT_NO_THROW(Mask{.causal = false}.check(1, 5, 4));
    EXPECT_THROW((Mask{.window = -1}.check(1, 4, 4)), Error);
    EXPECT_THROW((Mask{.window = 2, .dilation = 0}.check(1, 4, 4)), Error);
    EXPECT_THROW((Mask{.dilation = 2}.check(1, 4, 4)), Error);  // of no window
    EXPECT_THROW((Mask{.query_offset = 1}.check(1, 4, 4)), Error);
    EXPECT_THROW((Mask{.query_offset = -1}.check(1, 4, 4)), Error);
    Mask mask{.query_segments = {0, 0}};
    EXPECT_THROW(mask.check(1, 2, 2), Error);
    mask.key_segments = {0, 0};
    EXPECT_NO_THROW(mask.check(1, 2, 2));
    EXPECT_THROW(mask.check(2, 2, 2), Error);
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
