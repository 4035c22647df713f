#include "recipes/engine/run/memory.h"

#include <gtest/gtest.h>

#include <cmath>

#include "recipes/engine/run/drawn_training.h"
#include "recipes/engine/run/workbench.h"
#include "tests/recipes/engine/config/support.h"

namespace locus {
namespace {

constexpr double gib = 1 << 30;

Recipe recipe_of(Index length, Index sequences, Index shards) {
    Recipe recipe;
    recipe.model.layers = 3;
    recipe.model.width = 64;
    recipe.train.length = length;
    recipe.train.batch_tokens = length * sequences;
    recipe.train.shards = shards;
    return recipe;
}

TEST(Memory, ReadingAModelNeedsItsWeights) {
    const MemoryNeed need = memory_need(recipe_of(64, 32, 16), 1000, ModelUse::reading);
    EXPECT_EQ(need.total(), 1000 * sizeof(Scalar));
}

TEST(Memory, TrainingNeedsMomentsOpenGradientsAndTheActivationsOfAShard) {
    // 16 shards of 2 sequences: one gradient in the making and sums of 1, 2, 4 and 8 shards
    const MemoryNeed need = memory_need(recipe_of(64, 32, 16), 1000, ModelUse::training);
    EXPECT_EQ(need.moments, 2 * 1000 * sizeof(Scalar));
    EXPECT_EQ(need.gradients, 5 * 1000 * sizeof(Scalar));
    EXPECT_EQ(need.copies, 5.6 * 1000 * sizeof(Scalar));
    const MemoryNeed four = memory_need(recipe_of(64, 32, 16), 1000, ModelUse::training, 4);
    EXPECT_EQ(four.gradients, 8 * 1000 * sizeof(Scalar));  // each thread makes one
    EXPECT_EQ(four.activations, 4 * need.activations);
    // no more shards than sequences
    const MemoryNeed single = memory_need(recipe_of(64, 1, 16), 1000, ModelUse::training);
    EXPECT_EQ(single.gradients, 1000 * sizeof(Scalar));
    EXPECT_EQ(memory_need(recipe_of(64, 1, 16), 1000, ModelUse::training, 4).activations, single.activations);
    EXPECT_EQ(single.activations, need.activations / 2);
}

// What a step really takes, which nobody has to be told twice: within a fifth, for every encoding of text.
TEST(Memory, ActivationsAreMetWithinAFifth) {
    const auto meets = [](const std::string& settings) {
        const Recipe recipe = expand(recipe_from(settings), {}, recipe_schema()).front().recipe;
        const Index sequences = recipe.train.sequences();
        DrawnTraining training(make_trainable_model(recipe), recipe, sequences, recipe.train.length, 1);
        training.step(1);
        const auto taken = static_cast<double>(training.arena_peaks().front());
        const double said = memory_need(recipe, 0, ModelUse::training).activations;
        EXPECT_LT(std::abs(said / taken - 1), 0.2)
            << settings << ": " << said << " said, " << taken << " taken";
    };
    const std::string train = "\ntrain: {length: 64, batch_tokens: 2048, shards: 4}\n";
    const std::string small = "model: {layers: 3, width: 64, heads: 4}" + train;
    for (const std::string& kind : EncodingRegistry::instance().names()) {
        if (EncodingRegistry::instance().at(kind).reads(1)) meets("encoding: {kind: " + kind + "}\n" + small);
    }
    for (const char* model :
         {"layers: 6, width: 32, heads: 2", "layers: 2, width: 128, heads: 4, mlp_ratio: 2",
          "layers: 3, width: 64, heads: 4, dropout: 0.1"})
        meets(std::string("model: {") + model + "}" + train);
}

TEST(Memory, MoreThanThereIsIsRefusedWithFigures) {
    const MemoryNeed need{
        .parameters = 1e9, .weights = 4 * gib, .moments = 8 * gib, .gradients = 4 * gib, .activations = gib};
    EXPECT_NO_THROW(require_memory(need, static_cast<std::int64_t>(17 * gib)));
    EXPECT_NO_THROW(require_memory(need, 0));
    try {
        require_memory(need, static_cast<std::int64_t>(17 * gib) - 1);
        ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::usage);
        EXPECT_TRUE(holds(error.what(), {"1000000000 parameters", "17.0 GiB", "weights 4.0 GiB",
                                         "moments 8.0 GiB", "activations 1.0 GiB", "are available"}));
    }
}

TEST(Memory, ParametersAreCountedWithoutMakingThem) {
    for (const std::string kind : {"rope", "learned", "shaw", "fire"}) {
        Recipe recipe =
            expand(recipe_from("encoding: { kind: " + kind + " }"), {}, recipe_schema()).front().recipe;
        const Index made = make_model(recipe)->parameters().count();
        EXPECT_EQ(
            Transformer::count_parameters(recipe.model, recipe.encoding, recipe.mask, recipe.train.length),
            made)
            << kind;
    }
}

}  // namespace
}  // namespace locus
