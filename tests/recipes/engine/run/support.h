// Ancestors and their children without training: a recipe's model with parameters that no initial value
// gives, in a checkpoint with which another recipe begins.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/error.h"
#include "framework/io/checkpoint.h"
#include "recipes/engine/config/write.h"
#include "recipes/engine/config/yaml.h"
#include "recipes/engine/run/begin_from.h"
#include "recipes/engine/run/workbench.h"

namespace locus::test {

/// Dotted keys of a recipe and what stands there.
using Settings = std::map<std::string, std::string>;

inline std::string text_of(const Settings& settings) {
    std::string text;
    for (const auto& [path, value] : settings) text += path + ": " + value + "\n";
    return text;
}

inline std::vector<Cell> cells_from(const std::string& text) {
    return expand({"x.yaml", read_yaml(text, "x.yaml")}, {}, recipe_schema());
}

inline Cell cell_from(const Settings& settings) {
    return cells_from(text_of(settings)).front();
}

/// A small model, trained (as it says) on windows of 16.
inline Settings small(const std::string& kind) {
    return {{"model.layers", "2"},  {"model.width", "16"},        {"model.heads", "2"},
            {"train.length", "16"}, {"train.batch_tokens", "64"}, {"train.steps", "1"},
            {"encoding.kind", kind}};
}

/// What a recipe has to say to begin with a checkpoint and take no step.
inline Settings child_of(const std::filesystem::path& checkpoint, const std::string& length = "32") {
    return {{"from.run", checkpoint.string()},
            {"train.length", length},
            {"train.batch_tokens", "64"},
            {"train.steps", "0"}};
}

/// Moves every parameter away from its initial value: those that begin at 0 or 1 must count as well.
inline void disturb(Transformer& model) {
    model.parameters().change([&](const MutableTensor& values) {
        for (Index i = 0; i < values.count(); ++i)
            values.data()[i] += static_cast<Scalar>(0.05 * std::sin(static_cast<double>(i + 1)));
        for (const ParameterInfo& info : model.parameters().parameters())
            info.project({values.data() + info.offset, static_cast<std::size_t>(info.shape.count())});
    });
}

/// The checkpoint of a model after so many steps.
inline void save_as(const std::filesystem::path& path, const Recipe& recipe, const Transformer& model) {
    Checkpoint checkpoint;
    checkpoint.step = recipe.train.steps();
    checkpoint.recipe = write_recipe(recipe, recipe_schema());
    checkpoint.tokenizer = recipe.data.tokenizer;
    checkpoint.vocabulary_size = model.options().vocabulary;
    for (const ParameterInfo& info : model.parameters().parameters()) {
        const auto sizes = info.shape.sizes();
        checkpoint.parameters.push_back(
            CheckpointTensor::view<Scalar>(info.name, {sizes.begin(), sizes.end()},
                                           {model.parameters().values().data() + info.offset,
                                            static_cast<std::size_t>(info.shape.count())}));
    }
    save_checkpoint(path, checkpoint);
}

/// Logits of `length` tokens, or nothing where the model cannot hold them.
inline std::optional<std::vector<Scalar>> logits_at(const Transformer& model, Index length) {
    std::vector<Token> tokens;
    std::vector<std::int64_t> positions;
    for (Index t = 0; t < length; ++t) {
        tokens.push_back(static_cast<Token>((37 * t + 11) % model.options().vocabulary));
        for (Index axis = 0; axis < model.axes(); ++axis)
            positions.push_back(model.axes() != 2 ? t : axis == 0 ? t / 4 : t % 4);
    }
    try {
        Batch input = Batch::of_text(1, std::move(tokens));
        input.positions = Positions(1, length, model.axes(), std::move(positions));
        const Tensor logits = model.logits(input).value();
        return std::vector<Scalar>(logits.data(), logits.data() + logits.count());
    } catch (const Error&) {
        return std::nullopt;
    }
}

inline bool same_bits(const std::vector<Scalar>& a, const std::vector<Scalar>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Scalar)) == 0;
}

/// A file for the test that runs; it is removed afterwards.
class CheckpointPath {
  public:
    CheckpointPath() {
        std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
        for (char& c : name)
            if (c == '/') c = '_';
        path_ = std::filesystem::path(::testing::TempDir()) / ("locus_inherit_" + name + ".h5");
    }
    ~CheckpointPath() {
        std::error_code error;
        std::filesystem::remove(path_, error);
    }
    operator const std::filesystem::path&() const { return path_; }

  private:
    std::filesystem::path path_;
};

/// Saves the disturbed model of `ancestor` and lets `child` (child_of and more) begin there: their logits are
/// the same, bit for bit, at every length, and so is what they cannot hold.
inline void expect_same_function(const Settings& ancestor, const Settings& says,
                                 const std::filesystem::path& path) {
    const Cell first = cell_from(ancestor);
    const auto model = make_model(first.recipe);
    disturb(*model);
    save_as(path, first.recipe, *model);
    Settings child = child_of(path);
    child.insert(says.begin(), says.end());
    SCOPED_TRACE(text_of(ancestor) + "--- and then\n" + text_of(child));
    const Cell second = cell_from(child);
    EXPECT_EQ(second.recipe.encoding.options.values(), first.recipe.encoding.options.values());
    check_beginning(second);
    const auto heir = make_model(second.recipe);
    const Beginning beginning = begin_from(second, path.parent_path() / "child", *heir);
    EXPECT_TRUE(beginning.origin.drawn.empty() && beginning.origin.left.empty());
    for (const Index length : {8, 16, 32}) {
        const auto before = logits_at(*model, length), after = logits_at(*heir, length);
        ASSERT_EQ(before.has_value(), after.has_value()) << length;
        if (!before) continue;
        EXPECT_TRUE(same_bits(*before, *after)) << "at length " << length;
    }
}

}  // namespace locus::test
