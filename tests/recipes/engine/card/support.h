// Cards of small recipes.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "recipes/engine/card/card.h"
#include "recipes/engine/config/vary.h"
#include "recipes/engine/config/yaml.h"
#include "recipes/engine/run/workbench.h"

namespace locus::test {

inline const std::string small_recipe =
    "model: {layers: 2, width: 64, heads: 4}\ntrain: {length: 32, batch_tokens: 1024}\n";

inline nlohmann::json card_of(const std::string& text, const CardQuestion& question = {},
                              const std::vector<std::string>& overrides = {}) {
    const RecipeFile file{"x.yaml", read_yaml(small_recipe + text, "x.yaml")};
    const Recipe recipe = expand(file, overrides, recipe_schema()).front().recipe;
    const nlohmann::json card = card_json(recipe, *make_model(recipe), question);
    return nlohmann::json::parse(card.dump());  // what a reader gets
}

inline std::string refusal(const std::string& text, const CardQuestion& question) {
    try {
        card_of(text, question);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::usage);
        return error.what();
    }
    ADD_FAILURE() << "accepted";
    return {};
}

}  // namespace locus::test
