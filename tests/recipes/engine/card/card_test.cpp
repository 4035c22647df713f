// The card's numbers, worked out here from the papers' formulas.
#include "recipes/engine/card/card.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>

#include "tests/recipes/engine/card/support.h"

namespace locus {
namespace {

using nlohmann::json;
using test::card_of;
using test::refusal;

TEST(Card, RopeHasItsFrequenciesAndWaves) {
    const json card = card_of("encoding: {kind: rope, base: 500}\n", {{0, 1, 1000}, 64});
    EXPECT_EQ(card["kind"], "rope");
    EXPECT_EQ(card["options"]["base"], 500.0);
    EXPECT_EQ(card["options"]["pairing"], "half_split");
    EXPECT_EQ(card["base"], 500.0);
    EXPECT_EQ(card["length"], 64);
    EXPECT_EQ(card["magnitude"], 1.0);
    EXPECT_EQ(card["logit_scale"], 0.25);  // 1 / sqrt(16)
    ASSERT_EQ(card["inv_freq"].size(), 8u);
    for (int i = 0; i < 8; ++i) {
        const double inverse = std::pow(500.0, -i / 8.0);
        EXPECT_NEAR(card["inv_freq"][i].get<double>(), inverse, 1e-15);
        EXPECT_NEAR(card["trained_arc"][i].get<double>(), 32 * inverse / (2 * std::numbers::pi), 1e-13);
        for (int p = 0; p < 3; ++p) {
            const double angle = std::vector<double>{0, 1, 1000}[static_cast<std::size_t>(p)] * inverse;
            EXPECT_NEAR(card["cos"][p][i].get<double>(), std::cos(angle), 1e-12);
            EXPECT_NEAR(card["sin"][p][i].get<double>(), std::sin(angle), 1e-12);
        }
    }
    EXPECT_TRUE(card["slopes"].empty() && card["bias"].empty() && card["embedding"].empty());
    EXPECT_TRUE(card["distances"].empty());  // no bias
    EXPECT_EQ(card["encoding_parameters"], 0);
}

TEST(Card, AlibiHasSlopesAndBiases) {
    const json card = card_of("encoding: {kind: alibi}\n");
    EXPECT_EQ(card["slopes"], (json{0.25, 0.0625, 0.015625, 0.00390625}));
    ASSERT_EQ(card["distances"].size(), 32u);
    for (std::size_t k = 0; k < 32; ++k) {
        EXPECT_EQ(card["distances"][k], k);
        EXPECT_EQ(card["bias"][1][k].get<double>(), -0.0625 * static_cast<double>(k));
    }
    EXPECT_TRUE(card["base"].is_null());
    EXPECT_TRUE(card["cos"].empty());
    EXPECT_EQ(card["positions"], (json{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Card, DistancesReachBetweenThePositionsAskedFor) {
    const json card = card_of("encoding: {kind: alibi}\n", {{5, 1000, 3}, 4});
    EXPECT_EQ(card["distances"], (json{0, 1, 2, 3, 995, 997}));
    EXPECT_EQ(card["bias"][0], (json{0.0, -0.25, -0.5, -0.75, -248.75, -249.25}));
}

TEST(Card, T5HasRowsAndItsOwnParameters) {
    const json card = card_of("encoding: {kind: t5@t5}\n", {{}, 200});  // 32 buckets up to 128, unscaled
    EXPECT_EQ(card["logit_scale"], 1.0);
    EXPECT_EQ(card["encoding_parameters"], 4 * 32);
    EXPECT_EQ(card["rows"][15], 15);
    EXPECT_EQ(card["rows"][128], 31);
    EXPECT_EQ(card["rows"][199], 31);
    EXPECT_EQ(card["bias"][2][128], card["bias"][2][199]);
}

TEST(Card, NopeHasNothing) {
    const json card = card_of("encoding: {kind: nope}\n");
    for (const char* name : {"inv_freq", "trained_arc", "slopes", "bias", "cos", "sin", "embedding", "rows"})
        EXPECT_TRUE(card[name].empty()) << name;
    EXPECT_TRUE(card["options"].empty());
    // tokens, 2 blocks of qkv, output, MLP and 2 norms, final norm
    EXPECT_EQ(card["parameters"], 256 * 64 + 2 * (12 * 64 * 64 + 2 * 64) + 64);
}

TEST(Card, HasEveryPromisedField) {
    for (const std::string& kind : EncodingRegistry::instance().names()) {
        const json card = card_of("encoding: {kind: " + kind + "}\n");
        for (const char* name : {"kind", "options", "conventions", "base", "length", "inv_freq", "magnitude",
                                 "logit_scale", "trained_arc", "slopes", "distances", "rows", "bias",
                                 "positions", "cos", "sin", "mask", "parameters"})
            EXPECT_TRUE(card.contains(name)) << kind << " " << name;
        EXPECT_EQ(card["rows"].size(), card["distances"].size()) << kind;
        for (const json& head : card["bias"]) EXPECT_EQ(head.size(), card["distances"].size()) << kind;
    }
}

TEST(Card, ArcsAreOverThePositionsOfTraining) {
    const json plain = card_of("encoding: {kind: rope}\n");
    EXPECT_EQ(plain["trained_positions"], 32);
    const json wide = card_of("encoding: {kind: rope}\ndata: {positions: randomized, max_position: 320}\n");
    EXPECT_EQ(wide["trained_positions"], 320);
    EXPECT_NEAR(wide["trained_arc"][3].get<double>(), 10 * plain["trained_arc"][3].get<double>(), 1e-12);
    EXPECT_NE(wide["conventions"]["positions"].get<std::string>().find("0 to 319"), std::string::npos);
}

TEST(Card, ConventionsAreAllThere) {
    const json conventions = card_of("encoding: {kind: rope}\n")["conventions"];
    for (const char* name : {"logits", "mask", "lengths", "attention", "dropout", "initialisation", "biases",
                             "norm", "activation", "output matrix", "pairing", "positions"})
        EXPECT_FALSE(conventions.value(name, "").empty()) << name;
    EXPECT_NE(conventions["mask"].get<std::string>().find("a window W counts the query itself"),
              std::string::npos);
    EXPECT_NE(conventions["initialisation"].get<std::string>().find("N(0, 0.125)"),
              std::string::npos);  // 1 / sqrt(64)
    EXPECT_NE(conventions["initialisation"].get<std::string>().find("= 0.0625)"),
              std::string::npos);  // 1 / sqrt(64) / sqrt(4)
    const json narrow = card_of("encoding: {kind: rope}\n", {}, {"model.init=0.02"})["conventions"];
    EXPECT_NE(narrow["initialisation"].get<std::string>().find("= 0.01)"), std::string::npos);
}

TEST(Card, LearnedEndsWithItsTable) {
    const json card = card_of("encoding: {kind: learned}\n", {{0, 31}, 0});
    EXPECT_EQ(card["embedding"].size(), 2u);
    EXPECT_EQ(card["embedding"][0].size(), 64u);
    EXPECT_NE(card["conventions"]["lengths"].get<std::string>().find("0 to 31 only"), std::string::npos);
    const std::string message = refusal("encoding: {kind: learned}\n", {{32}, 0});
    EXPECT_NE(message.find("32"), std::string::npos);
    EXPECT_NE(refusal("encoding: {kind: nope}\n", {{}, -1}).find("length"), std::string::npos);
}

TEST(Card, PairsThatStandAndPairsOfSeveralAxes) {
    const json still =
        card_of("encoding: {kind: rope, fraction: 0.5, fraction_form: proportional}\n", {{7}, 0});
    EXPECT_NEAR(still["cos"][0][3].get<double>(), std::cos(7 * std::pow(10000.0, -3 / 8.0)), 1e-12);
    EXPECT_EQ(still["cos"][0][4], 1.0);
    EXPECT_EQ(still["inv_freq"][4], 0.0);
    const json video = card_of("encoding: {kind: mrope, mrope_section: '4,2,2', mrope_interleaved: true}\n");
    EXPECT_EQ(video["pair_axis"], (json{0, 1, 2, 0, 1, 2, 0, 0}));
    EXPECT_EQ(video["trained_arc"].size(), 8u);
    const json grid = card_of("encoding: {kind: rope_2d}\n");
    EXPECT_EQ(grid["pair_axis"], (json{1, 1, 1, 1, 0, 0, 0, 0}));
    EXPECT_TRUE(grid["trained_arc"].empty());  // the cells of a grid stand in no line of 32
    EXPECT_NE(card_text(grid).find("  axis\n     0               1       6.2831853     1\n"),
              std::string::npos);
    const json mixed = card_of("encoding: {kind: rope_mixed}\n");
    ASSERT_EQ(mixed["learned_inv_freq"].size(), 2u);
    ASSERT_EQ(mixed["learned_inv_freq"][0].size(), 2u);
    EXPECT_EQ(mixed["learned_inv_freq"][0][0].size(), 4u * 8u);
    EXPECT_EQ(mixed["encoding_parameters"], 2 * 2 * 4 * 8);
}

TEST(Card, XposHasItsDecay) {
    const json card =
        card_of("encoding: {kind: xpos, scale_base: 512}\n", {{16, 528}, 0});  // the centre and 512 more
    for (std::size_t i = 0; i < 8; ++i) {
        const double zeta = (2 * static_cast<double>(i) + 0.4 * 16) / (1.4 * 16);
        EXPECT_NEAR(card["zeta"][i].get<double>(), zeta, 1e-14);
        EXPECT_EQ(card["query_magnitude"][0][i], 1.0);
        EXPECT_NEAR(card["query_magnitude"][1][i].get<double>(), zeta, 1e-13);
        EXPECT_NEAR(card["key_magnitude"][1][i].get<double>(), 1 / zeta, 1e-12);
    }
    EXPECT_NE(card_text(card).find("zeta"), std::string::npos);
}

TEST(Card, OfTheRecipeOfPhasesShowsThem) {
    std::ifstream file(LOCUS_ORACLES "/phase_example.json");
    const json example = json::parse(file);
    const RecipeFile recipe = read_recipe(LOCUS_ORACLES "/../../recipes/analytic/phases.yaml");
    const Recipe resolved = expand(recipe, {}, recipe_schema()).front().recipe;
    CardQuestion question;
    for (const json& point : example["curve"]) question.positions.push_back(point["delta"]);
    const json card = card_json(resolved, *make_model(resolved), question);
    ASSERT_EQ(card["inv_freq"].size(), 3u);
    for (std::size_t p = 0; p < question.positions.size(); ++p)
        for (std::size_t i = 0; i < 3; ++i)
            EXPECT_NEAR(card["cos"][p][i].get<double>(), example["curve"][p]["cos"][i].get<double>(), 1e-12);
    EXPECT_NE(resolved.question.find("not of a model"), std::string::npos);
}

TEST(Model, RefusesATableShorterThanThePositionsOfItsData) {
    for (const std::string positions :
         {"positions: randomized, max_position: 300", "positions: pose, max_position: 300"}) {
        const std::string data = "data: {" + positions + "}\n";
        const std::string message = refusal(data + "encoding: {kind: learned}\n", {});
        EXPECT_NE(message.find("0 to 31"), std::string::npos) << message;
        EXPECT_NE(message.find("299"), std::string::npos) << message;
        EXPECT_EQ(card_of(data + "encoding: {kind: learned, max_length: 300}\n")["kind"], "learned");
        EXPECT_EQ(card_of(data + "encoding: {kind: rope}\n")["kind"], "rope");
    }
    EXPECT_EQ(card_of("data: {positions: packed}\nencoding: {kind: learned}\n")["kind"], "learned");
}

TEST(Card, TextSaysWhatItIs) {
    const std::string text = card_text(card_of("encoding: {kind: alibi}\n"));
    for (const char* part :
         {"encoding alibi", "slopes by head: 0.25 0.0625", "head 3", "conventions", "mask", " x x ."})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    const std::string rope = card_text(card_of("encoding: {kind: rope}\n", {{1}, 0}));
    EXPECT_NE(rope.find("wavelength"), std::string::npos);
    EXPECT_NE(rope.find(" 0.54030231  0.84147098"), std::string::npos);  // cos 1, sin 1
}

}  // namespace
}  // namespace locus
