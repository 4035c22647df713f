// The card's masks and how far tokens see through them.
#include "tests/recipes/engine/card/support.h"

namespace locus {
namespace {

using nlohmann::json;
using test::card_of;

TEST(Card, MaskIsWhatAttentionSees) {
    const json card = card_of("encoding: {kind: nope}\nmask: {window: 2, global: 1}\n", {{}, 4});
    EXPECT_EQ(card["mask"], (json{{1, 0, 0, 0}, {1, 1, 0, 0}, {1, 1, 1, 0}, {1, 0, 1, 1}}));
    EXPECT_NE(card["conventions"]["mask"].get<std::string>().find("window 2"), std::string::npos);
    EXPECT_NE(card["conventions"]["mask"].get<std::string>().find("counts the query itself"),
              std::string::npos);
}

// Window 4 over 10 tokens lets 1 + 2 + 3 + 7 * 4 = 34 pairs through; 40 would be one key too many per row.
TEST(Card, MaskShowsEveryTokenOfAShortLength) {
    const auto pairs = [](const std::string& mask, Index length) {
        const json card = card_of("encoding: {kind: nope}\nmask: {" + mask + "}\n", {{}, length});
        EXPECT_EQ(static_cast<Index>(card["mask"].size()), std::min<Index>(length, 128));
        Index sum = 0;
        for (const json& row : card["mask"]) {
            EXPECT_EQ(row.size(), card["mask"].size());
            for (const json& seen : row) sum += seen.get<Index>();
        }
        return sum;
    };
    EXPECT_EQ(pairs("window: 4", 10), 34);
    EXPECT_EQ(pairs("window: 1", 10), 10);
    EXPECT_EQ(pairs("window: 10", 10), 55);
    EXPECT_EQ(pairs("window: 4", 40), 6 + 37 * 4);
    EXPECT_EQ(pairs("causal: true", 200), 128 * 129 / 2);
}

std::vector<json> numbers(const json& list) {
    return list.get<std::vector<json>>();
}

TEST(Card, MasksOfLayersThatDiffer) {
    const json card = card_of("encoding: {kind: nope}\nmask: {window: [2, 0, 2], dilation: [2, 1, 2]}\n",
                              {{}, 4}, {"model.layers=3"});
    EXPECT_EQ(card["windows"], (json{2, 0, 2}));
    EXPECT_EQ(card["dilations"], (json{2, 1, 2}));
    ASSERT_EQ(card["masks"].size(), 2u);
    EXPECT_EQ(card["masks"][0]["layers"], (json{0, 2}));
    EXPECT_EQ(card["masks"][0]["window"], 2);
    EXPECT_EQ(card["masks"][0]["dilation"], 2);
    EXPECT_EQ(card["masks"][0]["mask"], (json{{1, 0, 0, 0}, {0, 1, 0, 0}, {1, 0, 1, 0}, {0, 1, 0, 1}}));
    EXPECT_EQ(card["masks"][1]["layers"], json::array({1}));
    EXPECT_EQ(card["masks"][1]["mask"], (json{{1, 0, 0, 0}, {1, 1, 0, 0}, {1, 1, 1, 0}, {1, 1, 1, 1}}));
    EXPECT_EQ(card["mask"], card["masks"][0]["mask"]);
    const std::string text = card_text(card);
    for (const char* part : {"mask of layers 0, 2", "window 2, dilation 2", "mask of layer 1 ", "no window"})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(Card, ReceptivePathOfEqualWindows) {
    const json card = card_of("encoding: {kind: nope}\nmask: {window: 4}\n", {}, {"model.layers=3"});
    const json& path = card["receptive_path"];
    EXPECT_EQ(path["length"], 32);
    EXPECT_EQ(path["farthest"], 9);
    EXPECT_EQ(path["reach"], 3 * (4 - 1) + 1);
    EXPECT_EQ(path["reach_of_windows"], 3 * (4 - 1) + 1);
    EXPECT_EQ(path["gap_count"], 0);
    const auto needed = numbers(path["layers_to_distance"]);
    ASSERT_EQ(needed.size(), 32u);
    for (std::size_t n = 0; n < 32; ++n)
        EXPECT_EQ(needed[n], n > 9 ? json() : json((n + 2) / 3)) << n;  // three tokens per layer
    const std::string text = card_text(card);
    for (const char* part :
         {"receptive path of the last of 32 tokens", "through all layers: 9 tokens back, 10 with"})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    EXPECT_EQ(card_of("mask: {window: 4}\n", {{}, 5})["receptive_path"]["reach"], 5);
    EXPECT_EQ(card_of("mask: {window: 4}\n", {{}, 5})["receptive_path"]["reach_of_windows"], 7);
}

TEST(Card, ReceptivePathOfOtherMasks) {
    const json full = card_of("encoding: {kind: nope}\n")["receptive_path"];
    EXPECT_EQ(full["farthest"], 31);
    EXPECT_TRUE(full["reach_of_windows"].is_null());
    EXPECT_EQ(full["layers_to_distance"][31], 1);
    const json dilated = card_of("mask: {window: 3, dilation: 2}\n")["receptive_path"];
    EXPECT_EQ(dilated["farthest"], 8);
    EXPECT_EQ(dilated["gaps"], (json{1, 3, 5, 7}));
    EXPECT_EQ(dilated["reach_of_windows"], 9);
    const json global = card_of("mask: {window: 2, global: 1}\n")["receptive_path"];
    EXPECT_EQ(global["farthest"], 31);
    EXPECT_EQ(global["layers_to_distance"][31], 1);
    EXPECT_TRUE(global["layers_to_distance"][30].is_null());
    EXPECT_EQ(global["gap_count"], 28);  // 3 to 30
    EXPECT_EQ(card_of("mask: {window: 2}\n", {{}, 1'000'000})["receptive_path"]["length"], 65536);
}

TEST(Card, MaskConventionsAreNamed) {
    const auto text = [](const std::string& mask) {
        return card_of("mask: " + mask + "\n")["conventions"]["mask"].get<std::string>();
    };
    for (const char* part : {"i - W < j <= i", "Hugging Face's sliding_window W", "left = W - 1"})
        EXPECT_NE(text("{}").find(part), std::string::npos) << part;
    EXPECT_NE(text("{window: [3, 0]}").find("window 3, 0 by layer"), std::string::npos);
    EXPECT_NE(text("{window: 3, dilation: 2}").find("dilation 2"), std::string::npos);
    const std::string global = text("{window: 3, global: 2, global_projections: true}");
    EXPECT_NE(global.find("the first 2 tokens"), std::string::npos);
    EXPECT_NE(global.find("projections of their own"), std::string::npos);
}

}  // namespace
}  // namespace locus
