#include "recipes/engine/run/memory.h"

#include <gtest/gtest.h>

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
    EXPECT_EQ(need.activations, 2.0 * 64 * 3 * 64 * 7 * sizeof(Scalar));
    // no more shards than sequences
    const MemoryNeed single = memory_need(recipe_of(64, 1, 16), 1000, ModelUse::training);
    EXPECT_EQ(single.gradients, 1000 * sizeof(Scalar));
    EXPECT_EQ(single.activations, 64.0 * 3 * 64 * 7 * sizeof(Scalar));
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
        EXPECT_TRUE(
            holds(error.what(), {"1000000000 parameters", "17.0 GiB", "weights 4.0 GiB", "moments 8.0 GiB",
                                 "activations of a shard 1.0 GiB", "are available"}));
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
