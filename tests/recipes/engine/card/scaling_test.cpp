// encoding.scaling in recipes: both spellings, what travels, what is refused; and what the card says of it.
#include "tests/recipes/engine/card/support.h"

#include "models/scaling.h"
#include "recipes/engine/config/write.h"

namespace locus::test {
namespace {

using nlohmann::json;

std::vector<Cell> scaled_cells(const std::string& text, const std::vector<std::string>& overrides = {}) {
    return expand({"x.yaml", read_yaml(small_recipe + text, "x.yaml")}, overrides, recipe_schema());
}

Options options_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
    return scaled_cells(text, overrides).front().recipe.encoding.options;
}

std::string refused(const std::string& text, const std::vector<std::string>& overrides = {}) {
    try {
        scaled_cells(text, overrides);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::usage);
        return error.what();
    }
    ADD_FAILURE() << "accepted: " << text;
    return {};
}

void expect_says(const std::string& message, const std::vector<std::string>& parts) {
    for (const std::string& part : parts)
        EXPECT_NE(message.find(part), std::string::npos) << part << ": " << message;
}

TEST(ScalingInRecipes, HasTwoSpellings) {
    const Options ours =
        options_of("encoding: {kind: rope, scaling: {type: yarn, factor: 4, original_length: 16}}");
    const Options theirs = options_of(
        "encoding: {kind: rope, scaling: {rope_type: yarn, factor: 4, original_max_position_embeddings: "
        "16}}");
    EXPECT_EQ(ours.values(), theirs.values());
    const Options flat = options_of("encoding.kind: rope\nencoding.scaling.rope_type: yarn\n",
                                    {"encoding.scaling.factor=4", "encoding.scaling.original_length=16"});
    EXPECT_EQ(flat.values(), ours.values());
    EXPECT_EQ(options_of("encoding.scaling: {rope_type: default}").text("scaling.type"), "plain");
    expect_says(refused("encoding.scaling: {type: yarn, rope_type: yarn, factor: 2}"),
                {"x.yaml:3: ", "given twice", "as encoding.scaling.rope_type here",
                 "as encoding.scaling.type at x.yaml:3"});
    expect_says(refused("encoding.scaling: {type: linear, factor: 2, original_length: 32, "
                        "original_max_position_embeddings: 32}"),
                {"original_length", "given twice"});
}

TEST(ScalingInRecipes, TakesBlocksAsTransformersHasThem) {
    const std::string kind = "encoding: {kind: rope, ";
    EXPECT_EQ(options_of(kind + "rope_theta: 500000}").number("base"), 500000);
    EXPECT_EQ(options_of(kind + "partial_rotary_factor: 0.5}").number("fraction"), 0.5);
    for (const std::string block : {"scaling", "rope_scaling", "rope_parameters"}) {
        const Options options = options_of(kind + block +
                                           ": {rope_type: yarn, factor: 4, rope_theta: 150000, "
                                           "partial_rotary_factor: 0.5, attention_factor: null}}");
        EXPECT_EQ(options.number("base"), 150000) << block;
        EXPECT_EQ(options.number("fraction"), 0.5) << block;
        EXPECT_EQ(options.text("scaling.type"), "yarn") << block;
        EXPECT_EQ(options.number("scaling.attention_factor"), 0) << block;
        EXPECT_EQ(options_of(kind + block + ": null}").text("scaling.type"), "plain") << block;
        EXPECT_EQ(options_of(kind + block + ": ~}").text("scaling.type"), "plain") << block;
    }
    EXPECT_EQ(options_of("encoding: {kind: rope@gpt-oss, scaling: null}").text("scaling.type"), "plain");
    EXPECT_EQ(scaled_cells("encoding: {kind: nope, scaling: null}").front().recipe.encoding.kind, "nope");
    EXPECT_EQ(options_of("encoding.kind: rope", {"encoding.scaling=null"}).text("scaling.type"), "plain");
    const Options mini = options_of(
        "encoding.scaling: {rope_type: longrope, factor: 4, long_factor: [0.9978, 1.0147, 1.035, 1.06, 1.1, "
        "2, 3, "
        "4]}");
    EXPECT_EQ(mini.numbers("scaling.long_factor").front(), 0.9978);
    for (const char* block : {"{rope_type: yarn, factor: 4, mscale: 1.0, mscale_all_dim: 0}",
                              "{rope_type: yarn, factor: 4, mscale_all_dim: 1}"})
        EXPECT_NEAR(card_of(std::string("encoding.scaling: ") + block + "\n")["magnitude"].get<double>(),
                    0.1 * std::log(4.0) + 1, 1e-15);
    expect_says(refused("encoding: {kind: rope, rope_theta: 5, base: 5}"),
                {"x.yaml:3: ", "encoding.base is given twice", "encoding.rope_theta"});
    expect_says(
        refused(
            "encoding: {kind: rope, rope_theta: 5, scaling: {rope_type: linear, factor: 2, rope_theta: 5}}"),
        {"x.yaml:3: ", "encoding.base is given twice"});
    expect_says(refused("encoding: {kind: alibi, rope_theta: 5}"), {"x.yaml:3: encoding.base", "'alibi'"});
    expect_says(refused("rope_theta: 5"), {"x.yaml:3: ", "'rope_theta'", "'encoding.base'"});
    expect_says(refused("encoding.scaling: {rope_type: yarn, factr: null}"),
                {"x.yaml:3: ", "encoding.scaling.factor"});
}

TEST(ScalingInRecipes, AttnFactorIsTheAuthorsAndSaidOnTheCard) {
    const json card = card_of("encoding.scaling: {type: yarn, factor: 4, attn_factor: 0.5}\n");
    EXPECT_NEAR(card["magnitude"].get<double>(), 0.5 * (0.1 * std::log(4.0) + 1), 1e-15);
    EXPECT_NE(card_text(card).find("attn_factor 0.5 times 0.1 ln s + 1"), std::string::npos);
    expect_says(refused("encoding.scaling: {rope_type: yarn, factor: 4, attn_factor: 0.8782}"),
                {"x.yaml:3: encoding.scaling.attn_factor", "transformers", "attention_factor"});
}

TEST(ScalingInRecipes, ARuleThatRefusesAnOptionNamesItsLine) {
    expect_says(refused("encoding.scaling:\n  type: longrope\n  factor: 4\n  long_factor: [1, 2]\n"),
                {"x.yaml:6: encoding.scaling longrope: long_factor", "expected 8", "found 2"});
    expect_says(refused("encoding.scaling:\n  type: llama3\n  factor: 4\n  low_freq_factor: 4\n"),
                {"x.yaml:", "encoding.scaling llama3", "high_freq_factor"});
}

TEST(ScalingInRecipes, ReadsBackWhatItWrites) {
    for (const char* scaling :
         {"{type: linear, factor: 4}", "{type: dynamic}",
          "{type: yarn, target_length: 128, betas: length_scaled}",
          "{type: longrope, factor: 4, long_factor: [1, 1, 1.5, 2, 2, 3.25, 4, 4], start_token_idx: 4}",
          "{type: llama3, factor: 8}", "{type: ntk_by_parts_v1, factor: 2}"}) {
        const Recipe recipe = scaled_cells(std::string("encoding.scaling: ") + scaling).front().recipe;
        EXPECT_EQ(recipe.encoding.options.integer("scaling.original_length"), 32);
        const std::string written = write_recipe(recipe, recipe_schema());
        const Recipe again =
            expand({"y.yaml", read_yaml(written, "y.yaml")}, {}, recipe_schema()).front().recipe;
        EXPECT_EQ(write_recipe(again, recipe_schema()), written);
        EXPECT_EQ(again.encoding.options.values(), recipe.encoding.options.values());
    }
    EXPECT_EQ(write_recipe(scaled_cells("").front().recipe, recipe_schema()).find("scaling"),
              std::string::npos);
}

TEST(ScalingInRecipes, ABlockReplacesTheBlockAndNotTheBase) {
    const std::string text =
        "encoding: {kind: rope, base: 500000, scaling: {type: yarn, factor: 4, beta_fast: 8}}\n"
        "vary: {arm: [{name: a}, {name: b, encoding.scaling: {type: yarn, factor: 2}}, "
        "{name: c, encoding.scaling.factor: 8}]}\n";
    const auto cells = scaled_cells(text);
    ASSERT_EQ(cells.size(), 3U);
    const std::vector<std::pair<double, double>> expected = {{4, 8}, {2, 32}, {8, 8}};
    for (std::size_t i = 0; i < 3; ++i) {
        const Options& options = cells[i].recipe.encoding.options;
        EXPECT_EQ(options.number("base"), 500000);
        EXPECT_EQ(options.number("scaling.factor"), expected[i].first);
        EXPECT_EQ(options.number("scaling.beta_fast"), expected[i].second);
    }
    const auto grid = scaled_cells("encoding.scaling.type: ntk\nvary: {encoding.scaling.factor: [2, 4]}\n");
    ASSERT_EQ(grid.size(), 2U);
    EXPECT_EQ(grid[1].name, "factor=4");
}

TEST(ScalingInRecipes, NamesWhatDoesNotFit) {
    expect_says(refused("encoding.scaling: {type: linear, factor: 0.25}"),
                {"x.yaml:3", "factor", "1 or more", "0.25"});
    expect_says(refused("encoding.scaling: {type: linear}"), {"factor", "target_length"});
    expect_says(refused("encoding.scaling: {type: linear, factor: 4, target_length: 512}"),
                {"factor 4", "32", "128", "512"});
    expect_says(refused("encoding.scaling: {factor: 4}"), {"scaling.factor", "'plain'"});
    expect_says(refused("encoding.scaling: {type: linear, factor: 4, beta_fast: 1}"),
                {"beta_fast", "'linear'"});
    expect_says(refused("encoding.scaling: {type: yarn, factr: 4}"),
                {"encoding.scaling.factr", "encoding.scaling.factor"});
    for (const char* kind : {"learned", "nope", "sinusoidal", "fire"})
        expect_says(
            refused(std::string("encoding: {kind: ") + kind + ", scaling: {type: linear, factor: 4}}"),
            {"scaling", kind, "rope"});
    expect_says(refused("encoding: {kind: alibi, scaling: {type: yarn, factor: 4}}"),
                {"alibi", "linear", "'yarn'"});
    expect_says(refused("train.steps: 0"), {"train.steps", "from"});
    expect_says(refused("from.step: 3"), {"from.step", "from.run"});
}

TEST(ScalingInRecipes, Presets) {
    const Options llama = options_of("encoding: {kind: rope@llama3.1}");
    EXPECT_EQ(llama.text("scaling.type"), "llama3");
    EXPECT_EQ(llama.integer("scaling.original_length"), 8192);
    const Options other = options_of("encoding: {kind: rope@llama3.1, scaling: {type: linear, factor: 2}}");
    EXPECT_EQ(other.text("scaling.type"), "linear");
    EXPECT_EQ(other.number("base"), 500000);
}

TEST(ScalingCard, ShowsWhatIsInUse) {
    const json card = card_of("encoding.scaling: {type: dynamic, factor: 2}\n", {{0, 4}, 64});
    EXPECT_EQ(card["options"]["scaling.type"], "dynamic");
    EXPECT_NEAR(card["base"].get<double>(), 10000 * std::pow(3.0, 16.0 / 14), 1e-8);
    const json within = card_of("encoding.scaling: {type: dynamic, factor: 2}\n", {{0, 4}, 32});
    EXPECT_EQ(within["base"], 10000);
    const json yarn = card_of("encoding.scaling: {type: yarn, factor: 4, betas: length_scaled}\n");
    EXPECT_NEAR(yarn["magnitude"].get<double>(), 0.1 * std::log(4.0) + 1, 1e-15);
    EXPECT_NEAR(yarn["cos"][0][0].get<double>(), yarn["magnitude"].get<double>(), 1e-15);
    const std::string text = card_text(yarn);
    for (const char* part : {"length_scaled", "0.1 ln s + 1", "meet angles"})
        EXPECT_NE(text.find(part), std::string::npos) << part;
}

// n-hat: the table of the card turns early positions as attention does.
TEST(ScalingCard, EarlyPositionsTurnByThePlainFrequencies) {
    const std::string scaling =
        "encoding.scaling: {type: longrope, factor: 4, long_factor: [2, 2, 2, 2, 2, 2, 2, 2], "
        "start_token_idx: 5, "
        "attention_factor: 1}\n";
    const json card = card_of(scaling, {{4, 5, 10}, 64}), plain = card_of("", {{4, 5, 10}, 64});
    EXPECT_EQ(card["sin"][0], plain["sin"][0]);
    EXPECT_NEAR(card["sin"][2][0].get<double>(), std::sin(5.0), 1e-15);
    EXPECT_EQ(card["sin"][2][0], plain["sin"][1][0]);
}

// As the released code has it, or not; the card says which.
TEST(ScalingCard, EarlyPositionsAndTheAttentionFactor) {
    const std::string scaling =
        "encoding.scaling: {type: longrope, factor: 4, long_factor: [2, 2, 2, 2, 2, 2, 2, 2], "
        "start_token_idx: 5, attention_factor: 1.25";
    const json own = card_of(scaling + "}\n", {{0, 4, 5}, 64});
    const json all = card_of(scaling + ", start_magnitude: attention_factor}\n", {{0, 4, 5}, 64});
    EXPECT_EQ(own["cos"][0][0], 1.0);
    EXPECT_NEAR(own["cos"][1][0].get<double>(), std::cos(4.0), 1e-15);
    EXPECT_NEAR(own["cos"][2][0].get<double>(), 1.25 * std::cos(2.5), 1e-15);
    EXPECT_EQ(all["cos"][0][0], 1.25);
    EXPECT_EQ(all["cos"][2], own["cos"][2]);
    for (const auto& [card, said] : {std::pair(own, "without the attention factor, as in the released code"),
                                     {all, "with the attention factor"}})
        EXPECT_NE(card_text(card).find(said), std::string::npos) << said;
}

// Trained at 32 with a base of 10000 and a head of 16: pairs 0 and 1 turn 4.9 and 1.2 times over distances up
// to 31, and see every angle; the six others meet new ones at any greater length, unless they turn slower.
TEST(PhaseCoverage, NamesThePairsThatMeetNewAngles) {
    const auto unseen = [](const std::string& text, Index length) {
        return card_of(text, {{}, length})["phases"]["unseen_pairs"].get<std::vector<int>>();
    };
    const std::vector<int> slow = {2, 3, 4, 5, 6, 7}, none;
    EXPECT_EQ(unseen("", 128), slow);
    EXPECT_EQ(unseen("encoding.scaling: {type: linear, factor: 4}\n", 125), none);  // 124 / 4 = 31
    EXPECT_EQ(unseen("encoding.scaling: {type: linear, factor: 4}\n", 256), slow);
    EXPECT_EQ(unseen("encoding.band: 2-7\n", 128), none);
    const json phases = card_of("", {{}, 128})["phases"];
    EXPECT_EQ(phases["trained_length"], 32);
    EXPECT_EQ(phases["target_length"], 128);
    const double slowest = std::pow(10000.0, -14.0 / 16) / (2 * std::acos(-1.0));
    EXPECT_NEAR(phases["pairs"][7]["target_turns"].get<double>(), 127 * slowest, 1e-12);
    EXPECT_NEAR(phases["pairs"][7]["trained_turns"].get<double>(), 31 * slowest, 1e-12);
    EXPECT_NEAR(phases["pairs"][7]["unseen"].get<double>(), 96.0 / 127, 1e-12);
    EXPECT_TRUE(card_of("encoding: {kind: alibi}\n")["phases"].is_null());
}

}  // namespace
}  // namespace locus::test
