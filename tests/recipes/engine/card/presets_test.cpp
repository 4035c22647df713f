// What other systems mean by an encoding's name: presets resolve to options that the recipe then shows in
// full.
#include "recipes/engine/config/presets.h"

#include <gtest/gtest.h>

#include <set>

#include "framework/core/error.h"
#include "recipes/engine/card/card.h"
#include "recipes/engine/config/vary.h"
#include "recipes/engine/config/write.h"
#include "recipes/engine/config/yaml.h"
#include "recipes/engine/run/workbench.h"

namespace locus {
namespace {

std::vector<Cell> cells_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
    return expand({"x.yaml", read_yaml(text, "x.yaml")}, overrides, recipe_schema());
}

EncodingOptions encoding_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
    return cells_of(text, overrides).front().recipe.encoding;
}

std::string error_of(const std::string& text) {
    try {
        cells_of(text);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::usage);
        return error.what();
    }
    ADD_FAILURE() << "accepted: " << text;
    return {};
}

TEST(Presets, ResolveToOptionsThatTheRecipeShows) {
    std::set<std::string> names;
    for (const Preset& preset : standard_presets()) {
        SCOPED_TRACE(preset.name);
        EXPECT_TRUE(names.insert(preset.name).second);
        EXPECT_FALSE(preset.doc.empty());
        ASSERT_TRUE(EncodingRegistry::instance().contains(preset.kind()));
        const Recipe recipe = cells_of("encoding: {kind: " + preset.name + "}").front().recipe;
        EXPECT_EQ(recipe.encoding.kind, preset.kind());
        const std::string written = write_recipe(recipe, recipe_schema());
        EXPECT_EQ(written.find('@'), std::string::npos);
        for (const auto& [option, value] : preset.options) {
            const bool nested = option.starts_with("scaling.");
            const std::string line = nested ? "\n    " + option.substr(8) : "\n  " + option;
            EXPECT_NE(written.find(line + ": " + value + "\n"), std::string::npos) << option;
        }
        EXPECT_EQ(encoding_of(written).options.values(), recipe.encoding.options.values());
    }
    EXPECT_GE(names.size(), 15U);
}

TEST(Presets, MeanWhatTheirSystemsDo) {
    const std::string head =
        "model: {layers: 1, width: 512, heads: 2, mlp_ratio: 0.1}\n";  // heads of 256, as in GPT-J
    const auto card = [&](const std::string& name) {
        const Recipe recipe = cells_of(head + "encoding: {kind: " + name + "}").front().recipe;
        return card_json(recipe, *make_model(recipe), {});
    };
    EXPECT_EQ(card("rope@gpt-j")["inv_freq"].size(), 32U);  // 64 of 256 dimensions
    EXPECT_EQ(card("rope@gpt-j")["conventions"]["pairing"], "interleaved (2i, 2i + 1)");
    EXPECT_EQ(card("rope@gpt-neox")["inv_freq"].size(), 32U);
    EXPECT_EQ(card("rope@gpt-neox")["conventions"]["pairing"], "half_split (i, i + pairs)");
    EXPECT_EQ(card("rope@x-transformers")["inv_freq"].size(), 64U);
    EXPECT_EQ(card("rope@llama")["inv_freq"].size(), 128U);
    EXPECT_EQ(card("rope@llama")["conventions"]["pairing"], "half_split (i, i + pairs)");
    EXPECT_EQ(card("rope@llama3")["base"], 500000.0);
    EXPECT_EQ(card("rope@roformer")["conventions"]["pairing"], "interleaved (2i, 2i + 1)");
    EXPECT_EQ(card("t5@t5")["logit_scale"], 1.0);
    EXPECT_EQ(card("t5@gpt-neox")["logit_scale"], 1.0 / 16);
    EXPECT_EQ(card("t5@gpt-neox")["bias"][1][3].get<double>(),
              16 * card("t5@t5")["bias"][1][3].get<double>());
    EXPECT_EQ(card("sinusoidal@t2t")["embedding"], card("sinusoidal@fairseq")["embedding"]);
    EXPECT_NE(card("sinusoidal@t2t")["embedding"], card("sinusoidal@paper")["embedding"]);
}

TEST(Presets, GiveWayToWhatTheRecipeSaysItself) {
    const EncodingOptions own = encoding_of("encoding: {base: 500, kind: rope@gpt-neox}");
    EXPECT_EQ(own.options.number("base"), 500);
    EXPECT_EQ(own.options.number("fraction"), 0.25);
    EXPECT_EQ(
        encoding_of("encoding: {kind: rope@gpt-neox}", {"encoding.fraction=0.5"}).options.number("fraction"),
        0.5);
    EXPECT_EQ(encoding_of("encoding: {kind: rope@gpt-neox}", {"encoding.kind=alibi"}).kind, "alibi");
    EXPECT_EQ(encoding_of("encoding: {kind: alibi}", {"encoding.kind=rope@gpt-j"}).options.number("fraction"),
              0.25);
}

TEST(Presets, HaveAKeyOfTheirOwnInsteadOfTheKind) {
    const EncodingOptions t5 = encoding_of("encoding: {preset: t5@t5}");
    EXPECT_EQ(t5.kind, "t5");
    EXPECT_EQ(t5.options.text("logits"), "unscaled");
    EXPECT_EQ(t5.lr_factor, 30);
    EXPECT_EQ(encoding_of("encoding: {kind: t5@t5, lr_factor: 2}").lr_factor, 2);
    EXPECT_EQ(encoding_of("encoding: {kind: t5@t5}", {"encoding.kind=alibi"}).lr_factor, 1);
    EXPECT_EQ(encoding_of("encoding: {kind: alibi}", {"encoding.preset=rope@gpt-j"}).kind, "rope");
    EXPECT_EQ(encoding_of("encoding: {preset: rope@gpt-j}", {"encoding.kind=alibi"}).kind, "alibi");
    const std::string both = error_of("encoding: {kind: t5, preset: t5@t5}");
    EXPECT_NE(both.find("say the same thing"), std::string::npos) << both;
}

TEST(Presets, NameTheNearestToAnUnknownOne) {
    for (const std::string key : {"kind", "preset"}) {
        const std::string message = error_of("encoding:\n  " + key + ": rope@lama");
        EXPECT_NE(message.find("x.yaml:2: encoding." + key), std::string::npos) << message;
        EXPECT_NE(message.find("'rope@lama'"), std::string::npos) << message;
        EXPECT_NE(message.find("'rope@llama'"), std::string::npos) << message;
    }
    EXPECT_NE(error_of("encoding: {kind: t5@neox}").find("'t5@gpt-neox'"), std::string::npos);
    EXPECT_NE(error_of("encoding: {preset: [t5]}").find("encoding.preset"), std::string::npos);
    EXPECT_NE(error_of("encoding: {kind: [rope@llama]}").find("encoding.kind"), std::string::npos);
}

TEST(Presets, VaryLikeKinds) {
    const auto cells = cells_of("vary: {encoding.kind: [rope@llama, rope@roformer, alibi]}");
    ASSERT_EQ(cells.size(), 3U);
    EXPECT_EQ(cells[0].name, "kind=rope@llama");
    EXPECT_EQ(cells[1].name, "kind=rope@roformer");
    EXPECT_EQ(cells[0].recipe.encoding.options.text("pairing"), "half_split");
    EXPECT_EQ(cells[1].recipe.encoding.options.text("pairing"), "interleaved");
    const auto again = cells_of(write_recipe(cells[1].recipe, recipe_schema()));
    EXPECT_EQ(again[0].name, cells[1].name);
    EXPECT_EQ(again[0].recipe.cell, cells[1].recipe.cell);
    const auto moved = [&](const std::string& kind) {
        return cells_of(write_recipe(cells[1].recipe, recipe_schema()), {"encoding.kind=" + kind})[0].name;
    };
    EXPECT_EQ(moved("rope@llama"), "kind=rope@llama");
    EXPECT_EQ(moved("rope"), "kind=rope");
}

}  // namespace
}  // namespace locus
