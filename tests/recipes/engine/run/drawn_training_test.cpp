// What verifies and times a training step runs the step of the recipe: its dropout, positions and segments.
#include "recipes/engine/run/drawn_training.h"

#include "recipes/engine/run/training_pass.h"
#include "tests/recipes/engine/run/support.h"

namespace locus {
namespace {

using test::cell_from;
using test::Settings;
using test::small;

Settings with(Settings settings, const Settings& more) {
    for (const auto& [key, value] : more) settings[key] = value;
    return settings;
}

std::vector<Scalar> after_a_step(const Settings& settings) {
    const Recipe recipe = cell_from(settings).recipe;
    DrawnTraining training(make_trainable_model(recipe), recipe, 8, 16, 1);
    training.step(1);
    const auto values = training.values().values();
    return {values.begin(), values.end()};
}

TEST(DrawnTraining, RunsWhatTheRecipeSays) {
    const Settings plain = small("rope");
    const std::vector<Scalar> values = after_a_step(plain);
    EXPECT_EQ(after_a_step(plain), values);
    for (const Settings& change : {Settings{{"model.dropout", "0.3"}}, Settings{{"data.positions", "packed"}},
                                   Settings{{"data.positions", "pose"}, {"data.max_position", "256"}},
                                   Settings{{"data.positions", "randomized"}, {"data.max_position", "256"}},
                                   Settings{{"train.precision", "bf16"}}})
        EXPECT_NE(after_a_step(with(plain, change)), values) << change.begin()->first;
}

TEST(DrawnTraining, HasTheBatchesOfTheRecipe) {
    const Recipe recipe = cell_from(with(small("rope"), {{"data.positions", "packed"}})).recipe;
    const auto model = make_trainable_model(recipe);
    const DrawnSource source(*model, recipe, 8, 16);
    const Batch batch = source.at(0), again = source.at(0);
    EXPECT_NO_THROW(batch.check());
    EXPECT_TRUE(std::equal(batch.ids().numbers().begin(), batch.ids().numbers().end(),
                           again.ids().numbers().begin()));
    const auto segments = batch.segments.numbers();
    EXPECT_GT(*std::max_element(segments.begin(), segments.end()), 0);  // a window of several documents
    EXPECT_LT(batch.weight(), 8 * 16);  // no target across the end of a document
}

// A training pass has the frequencies of all positions that training may show.
TEST(TrainingPass, IsThatOfTheRecipe) {
    Recipe recipe = cell_from(small("rope")).recipe;
    recipe.train.seed = 5;
    const Pass pass = training_pass(recipe, 16, 3);
    EXPECT_TRUE(pass.training);
    EXPECT_EQ(pass.seed, 5U);
    EXPECT_EQ(pass.step, 3U);
    EXPECT_EQ(pass.frequency_length, 16);
    recipe.data.positions = {PositionKind::pose, 64, 2};
    EXPECT_EQ(training_pass(recipe, 16, 3).frequency_length, 64);
}

}  // namespace
}  // namespace locus
