// Damaged recipes: refused in one line, or another recipe that reads back as it was written and trains.
#include "recipes/engine/config/recipe_file.h"
#include "recipes/engine/config/write.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/support.h"

namespace locus::test {
namespace {

const std::string whole_recipe = R"(question: Does it carry?
data: { corpus: generated, documents: 8, document_length: 120, generator_seed: 3, valid: 0.25 }
model: { layers: 1, width: 16, heads: 2, kv_heads: 1, norm: rms, activation: swiglu, dropout: 0.1 }
encoding:
  kind: rope
  base: 1e4
  scaling: { rope_type: yarn, factor: 2, original_max_position_embeddings: 8 }
mask: { window: 6, global: 1 }
train:
  length: 8
  batch_tokens: 16
  shards: 2
  steps: 4
  lr: 1e-2
  warmup_steps: 1
  min_lr: 1e-3
evaluate: { lengths: [8, 16], protocols: [non_overlapping, "sliding:4"], targets: 16 }
vary:
  arm: [ { name: plain, encoding: { kind: rope, fraction: 0.5 } }, { name: t5, encoding: { kind: t5 } } ]
  train.seed: [0, 1]
table: { rows: arm, columns: [protocol, length], cell: bits_per_byte, over: train.seed, contrasts: [t5 - plain] }
)";

// What trains in milliseconds.
bool is_small(const Recipe& recipe) {
    const ModelOptions& model = recipe.model;
    return model.layers <= 4 && model.width <= 64 && recipe.train.batch_tokens <= 512 &&
           recipe.train.length <= 256 &&
           recipe.data.documents.value_or(64) * recipe.data.document_length.value_or(16384) <=
               (Index{1} << 20) &&
           recipe.train.validate_every == 0;
}

TEST(Fuzz, Recipes) {
    const Folder folder;
    int done = 0;
    const auto use = [&](const std::string& bytes) -> Outcome {
        const fs::path path = folder / "r.yaml";
        put_bytes(path, bytes);
        const std::vector<Cell> cells = expand(read_recipe(path.string()), {}, recipe_schema());
        const Cell& cell = cells.front();
        const std::string text = write_recipe(cell.recipe, recipe_schema());
        const std::string again = write_recipe(cells_of(text).front().recipe, recipe_schema());
        if (text != again) throw std::logic_error("is not read as it was written: " + text);
        if (!is_small(cell.recipe)) return {text};
        ++done;
        fs::remove_all(folder / "run");
        return {text + trained(cell, folder / "run", 2)};
    };
    expect_sound({"recipe",
                  whole_recipe,
                  use,
                  {Failure::usage, Failure::data, Failure::numeric, Failure::storage},
                  "",
                  true,
                  false});
    EXPECT_GT(done, 40);
}

}  // namespace
}  // namespace locus::test
