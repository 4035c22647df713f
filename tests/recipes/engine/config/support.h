// What the tests of recipes share: a schema over encodings of their own, recipes from text, and errors as
// text.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "framework/core/error.h"
#include "recipes/engine/config/vary.h"
#include "recipes/engine/config/write.h"
#include "recipes/engine/config/yaml.h"

namespace locus {

inline const Schema& test_schema() {
    static const Schema schema(KindCatalogue{
        {"nope", {}},
        {"rope",
         {{"base", 10000.0, "of the frequencies", {}, 1},
          {"fraction", 1.0, "of the head that turns", {}, 0, 1},
          {"pairing", std::string("half"), "which channels pair", {"half", "interleaved"}}}},
        {"alibi", {{"trainable", false, "slopes learn"}, {"offset", 0.0, "added to every slope"}}},
        {"learned", {{"max_length", Index{0}, "rows; 0: train.length", {}, 1}}},
    });
    return schema;
}

inline RecipeFile recipe_from(const std::string& text) {
    return {"x.yaml", read_yaml(text, "x.yaml")};
}

inline std::vector<Cell> cells_from(const std::string& text, const std::vector<std::string>& overrides = {}) {
    return expand(recipe_from(text), overrides, test_schema());
}

inline Recipe one(const std::string& text, const std::vector<std::string>& overrides = {}) {
    const std::vector<Cell> cells = cells_from(text, overrides);
    EXPECT_EQ(cells.size(), 1u);
    return cells.front().recipe;
}

/// The message of the usage Error that `text` must meet; fails the test where it is accepted.
inline std::string refusal(const std::string& text, const std::vector<std::string>& overrides = {}) {
    try {
        cells_from(text, overrides);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::usage);
        const std::string message = error.what();
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
        return message;
    }
    ADD_FAILURE() << "accepted: " << text;
    return {};
}

/// Whether `message` holds every one of `parts`.
inline ::testing::AssertionResult holds(const std::string& message, const std::vector<std::string>& parts) {
    for (const std::string& part : parts)
        if (message.find(part) == std::string::npos)
            return ::testing::AssertionFailure() << "'" << part << "' is not in: " << message;
    return ::testing::AssertionSuccess();
}

}  // namespace locus
