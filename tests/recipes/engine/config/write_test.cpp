// The resolved recipe: every value is there, and reading it back gives the same recipe.
#include "tests/recipes/engine/config/support.h"

namespace locus {
namespace {

// No value is a default, so that a key that is not read, not written or bound to another member shows.
const char* const full = R"(question: "Why, \"really\"?\n1: # all"
data: {corpus: generated, block: 480, positions: pose, max_position: 960, chunks: 3, valid: 0.25, test: [a b, '0.5'], documents: 3, document_length: 99,
       generator_seed: 5}
model: {layers: 2, width: 96, heads: 6, kv_heads: 3, mlp_ratio: 2.5, norm: rms, norm_epsilon: 1e-6, activation: swiglu, bias: true,
        dropout: 0.1, tie_embeddings: false, init: 0.03}
encoding: {kind: rope, base: 123.5, fraction: 0.5, pairing: interleaved, lr_factor: 2.5}
mask: {window: [17, 0], dilation: [3, 1], global: 2, global_projections: true}
train: {length: 48, steps: 77, batch_tokens: 960, shards: 4, lr: 3e-3, min_lr: 1e-5, warmup_steps: 6,
        schedule: linear, weight_decay: 0.01, beta1: 0.8, beta2: 0.99, epsilon: 1e-9, clip: 0.5, seed: 12,
        validate_every: 8, checkpoint_every: 9, keep: 3, keep_every: 27}
from: {run: elsewhere, step: 3, original_length: 24, seen_tokens: 96}
evaluate: {lengths: [48, 97], protocols: [sliding:7, per_position], split: test, targets: 33}
search: {factor: 8, list: short_factor, population: 9, parents: 8, mutations: 7, crossovers: 6, iterations: 5,
         probability: 0.25, step: 0.02, upper: 1.5, n_hat: [0, 3], attention_factor: 1.1, windows: 4, test_windows: 3}
table: {rows: train.lr, columns: [length, arm], cell: gain, over: model.width,
        contrasts: [a - b, "c - 1"], primary_contrasts: [a - b], primary_column: [48]}
)";

void expect_full(const Recipe& r) {
    EXPECT_EQ(r.question, "Why, \"really\"?\n1: # all");
    EXPECT_EQ(r.data.corpus, "generated");
    EXPECT_EQ(r.data.tokenizer, "byte");
    EXPECT_EQ(r.data.block, 480);
    EXPECT_EQ(r.data.positions.kind, PositionKind::pose);
    EXPECT_EQ(r.data.positions.max_position, 960);
    EXPECT_EQ(r.data.positions.chunks, 3);
    EXPECT_EQ(r.data.valid_fraction, 0.25);
    EXPECT_TRUE(r.data.valid.empty());
    EXPECT_EQ(r.data.test, (std::vector<std::string>{"a b", "0.5"}));
    EXPECT_FALSE(r.data.test_fraction.has_value());
    EXPECT_EQ(r.data.documents, 3);
    EXPECT_EQ(r.data.document_length, 99);
    EXPECT_EQ(r.data.generator_seed, 5u);
    EXPECT_EQ(r.model.layers, 2);
    EXPECT_EQ(r.model.width, 96);
    EXPECT_EQ(r.model.heads, 6);
    EXPECT_EQ(r.model.kv_heads, 3);
    EXPECT_EQ(r.model.mlp_ratio, 2.5);
    EXPECT_EQ(r.model.norm, NormKind::rms);
    EXPECT_EQ(r.model.norm_epsilon, 1e-6);
    EXPECT_EQ(r.model.activation, Activation::swiglu);
    EXPECT_TRUE(r.model.bias);
    EXPECT_EQ(r.model.dropout, 0.1);
    EXPECT_FALSE(r.model.tie_embeddings);
    EXPECT_EQ(r.model.init, 0.03);
    EXPECT_EQ(r.encoding.kind, "rope");
    EXPECT_EQ(r.encoding.lr_factor, 2.5);
    EXPECT_EQ(r.encoding.options.number("base"), 123.5);
    EXPECT_EQ(r.encoding.options.number("fraction"), 0.5);
    EXPECT_EQ(r.encoding.options.text("pairing"), "interleaved");
    EXPECT_TRUE(r.mask.causal);
    EXPECT_EQ(r.mask.window, (PerLayer{17, 0}));
    EXPECT_EQ(r.mask.dilation, (PerLayer{3, 1}));
    EXPECT_TRUE(r.mask.global_projections);
    EXPECT_EQ(r.mask.global, 2);
    EXPECT_EQ(r.train.length, 48);
    EXPECT_EQ(r.train.steps(), 77);
    EXPECT_EQ(r.train.tokens, 77 * 960);
    EXPECT_EQ(r.train.batch_tokens, 960);
    EXPECT_EQ(r.train.shards, 4);
    EXPECT_EQ(r.train.lr, 3e-3);
    EXPECT_EQ(r.train.min_lr, 1e-5);
    EXPECT_EQ(r.train.warmup_steps, 6);
    EXPECT_EQ(r.train.schedule, Schedule::linear);
    EXPECT_EQ(r.train.weight_decay, 0.01);
    EXPECT_EQ(r.train.beta1, 0.8);
    EXPECT_EQ(r.train.beta2, 0.99);
    EXPECT_EQ(r.train.epsilon, 1e-9);
    EXPECT_EQ(r.train.clip, 0.5);
    EXPECT_EQ(r.train.precision, Precision::fp32);
    EXPECT_EQ(r.train.seed, 12u);
    EXPECT_EQ(r.train.validate_every, 8);
    EXPECT_EQ(r.train.checkpoint_every, 9);
    EXPECT_EQ(r.train.keep, 3);
    EXPECT_EQ(r.train.keep_every, 27);
    EXPECT_EQ(r.evaluate.lengths, (std::vector<Index>{48, 97}));
    EXPECT_EQ(r.evaluate.protocols, (std::vector<Protocol>{{"sliding", 7}, {"per_position"}}));
    EXPECT_EQ(r.evaluate.split, EvaluatedSplit::test);
    EXPECT_EQ(r.evaluate.targets, 33);
    EXPECT_EQ(r.from.run, "elsewhere");
    EXPECT_EQ(r.from.step, 3);
    EXPECT_EQ(r.from.original_length, 24);
    EXPECT_EQ(r.from.tokens, 96);
    EXPECT_EQ(r.search.factor, 8);
    EXPECT_EQ(r.search.list, FactorList::short_factor);
    EXPECT_EQ(r.search.population, 9);
    EXPECT_EQ(r.search.parents, 8);
    EXPECT_EQ(r.search.mutations, 7);
    EXPECT_EQ(r.search.crossovers, 6);
    EXPECT_EQ(r.search.iterations, 5);
    EXPECT_EQ(r.search.probability, 0.25);
    EXPECT_EQ(r.search.step, 0.02);
    EXPECT_EQ(r.search.upper, 1.5);
    EXPECT_EQ(r.search.n_hat, (std::vector<Index>{0, 3}));
    EXPECT_EQ(r.search.attention_factor, 1.1);
    EXPECT_EQ(r.search.windows, 4);
    EXPECT_EQ(r.search.test_windows, 3);
    EXPECT_EQ(r.table.rows, "train.lr");
    EXPECT_EQ(r.table.columns, (std::vector<std::string>{"length", "arm"}));
    EXPECT_EQ(r.table.cell, "gain");
    EXPECT_EQ(r.table.over, "model.width");
    EXPECT_EQ(r.table.contrasts, (std::vector<std::string>{"a - b", "c - 1"}));
    EXPECT_EQ(r.table.primary_contrasts, (std::vector<std::string>{"a - b"}));
    EXPECT_EQ(r.table.primary_column, (std::vector<std::string>{"48"}));
}

std::string written(const Recipe& recipe) {
    return write_recipe(recipe, test_schema());
}

TEST(ResolvedRecipe, KeepsEveryValue) {
    const Recipe recipe = one(full);
    expect_full(recipe);
    const std::string text = written(recipe);
    const Recipe again = one(text);
    expect_full(again);
    EXPECT_EQ(written(again), text);
}

TEST(ResolvedRecipe, HoldsEveryKey) {
    const std::string text = "\n" + written(one(full));
    for (const Key* key : test_schema().keys("rope")) {
        if (!key->instead_of.empty()) continue;  // said by the key that it stands for
        if (key->path == "from.arm") continue;   // not beside from.run
        const std::size_t dot = key->path.find('.');
        const std::string line =
            dot == std::string::npos ? "\n" + key->path + ": " : "\n  " + key->path.substr(dot + 1) + ": ";
        EXPECT_NE(text.find(line), std::string::npos) << key->path;
    }
}

TEST(ResolvedRecipe, OfEveryCellReadsBackWithItsNameAndCoordinates) {
    const auto cells = cells_from(
        "vary:\n"
        "  arm:\n"
        "    - {name: rope}\n"
        "    - {name: learned, encoding: {kind: learned}}\n"
        "    - {name: alibi, encoding: {kind: alibi, offset: -0.5}}\n"
        "    - {name: nope, encoding: {kind: nope}, data: {corpus: austen, valid: [emma]}}\n"
        "  train.lr: [1e-3, 0.1, 1e-7]\n"
        "  train.steps: [10, 20]\n"
        "  data.tokenizer: [byte]\n");
    ASSERT_EQ(cells.size(), 24u);
    for (const Cell& cell : cells) {
        const std::string text = written(cell.recipe);
        const auto again = cells_from(text);
        ASSERT_EQ(again.size(), 1u);
        EXPECT_EQ(again[0].name, cell.name);
        EXPECT_EQ(again[0].recipe.cell, cell.recipe.cell);
        EXPECT_EQ(again[0].recipe.encoding.kind, cell.recipe.encoding.kind);
        EXPECT_EQ(again[0].recipe.encoding.options.values(), cell.recipe.encoding.options.values());
        EXPECT_EQ(again[0].recipe.train.lr, cell.recipe.train.lr);
        EXPECT_TRUE(again[0].notes.empty());
        EXPECT_EQ(written(again[0].recipe), text);
    }
    EXPECT_TRUE(
        holds(written(cells[7].recipe), {"cell:\n  arm: learned\n  train.lr: 0.001\n  train.steps: 20\n"}));
}

TEST(ResolvedRecipe, IsThisText) {
    EXPECT_EQ(
        written(cells_from("question: Does it work?\nencoding: {kind: alibi}\nvary: {train.seed: [3]}")[0]
                    .recipe),
        R"(question: "Does it work?"
data:
  corpus: generated
  format: auto
  tokenizer: byte
  block: 128
  positions: consecutive
  documents: 64
  document_length: 16384
  generator_seed: 0
model:
  layers: 4
  width: 128
  heads: 4
  kv_heads: 4
  mlp_ratio: 4
  norm: layer
  norm_epsilon: 1.0e-05
  activation: gelu_tanh
  bias: false
  dropout: 0
  tie_embeddings: true
  init: fan_in
encoding:
  kind: alibi
  trainable: false
  offset: 0
  lr_factor: 1
mask:
  causal: true
  dilation: 1
  global: 0
  global_projections: false
train:
  length: 128
  tokens: 4005888
  batch_tokens: 8192
  shards: 16
  reduction: exact
  lr: 0.001
  min_lr: 0.0001
  warmup_steps: 15
  schedule: cosine
  weight_decay: 0.1
  beta1: 0.9
  beta2: 0.95
  epsilon: 1.0e-08
  clip: 1
  precision: fp32
  seed: 3
  validate_every: 0
  checkpoint_every: 500
  keep: 2
  keep_every: 0
evaluate:
  lengths: [128, 256, 512, 1024]
  protocols: [non_overlapping, same_target]
  split: valid
  targets: 2048
table:
  rows: arm
  columns: [protocol, length]
  cell: bits_per_byte
  over: train.seed
cell:
  train.seed: 3
)");
}

TEST(ResolvedRecipe, TextsSurviveQuoting) {
    for (const std::string question : {"",
                                       "null",
                                       "~",
                                       "-",
                                       "---",
                                       "a: b",
                                       "[x",
                                       "# no",
                                       "it's \"so\"",
                                       "back\\slash",
                                       "two\nlines",
                                       "tab\there",
                                       "caf\xC3\xA9 \xE2\x80\xA8",
                                       " lead",
                                       "trail ",
                                       "1e5",
                                       "true",
                                       "*a",
                                       "&a",
                                       "!t",
                                       "%d",
                                       "?",
                                       "a#b"}) {
        Recipe recipe = one("question: q");
        recipe.question = question;
        EXPECT_EQ(one(written(recipe)).question, question) << written(recipe);
    }
}

// What YAML 1.1 (PyYAML) would take for a number, a flag or a date is a text in quotes; a number has its
// point.
TEST(ResolvedRecipe, IsReadAlikeByYaml11) {
    const std::string text = written(one(
        "data: {corpus: austen, valid: ['1e5', '010', 'yes', '2001-01-01', '0x10', '1_000', null_a, 1-2]}\n"
        "train: {lr: 1e-20, weight_decay: 1e+30, epsilon: 2.5e-9, seed: 1e6}\n"));
    EXPECT_TRUE(
        holds(text, {"valid: [\"1e5\", \"010\", \"yes\", \"2001-01-01\", \"0x10\", \"1_000\", null_a, 1-2]",
                     "lr: 1.0e-20\n", "weight_decay: 1.0e+30\n", "epsilon: 2.5e-09\n", "seed: 1000000\n"}));
    EXPECT_EQ(cells_from("vary: {train.lr: [1e-7]}")[0].name, "lr=1e-07");  // names of cells stay
}

TEST(ResolvedRecipe, AnOverrideOfACoordinateChangesIt) {
    const std::string text = written(cells_from("vary: {train.seed: [3], train.lr: [1e-2]}")[0].recipe);
    const auto cells = cells_from(text, {"train.seed=5"});
    EXPECT_EQ(cells[0].name, "seed=5,lr=0.01");
    EXPECT_EQ(cells[0].recipe.train.seed, 5u);
}

TEST(ResolvedRecipe, ItsCellIsChecked) {
    EXPECT_TRUE(holds(refusal("cell:\n  train.sede: 1"), {"x.yaml:2: ", "'train.seed'"}));
    EXPECT_TRUE(holds(refusal("cell: 3"), {"x.yaml:1: cell: "}));
    EXPECT_TRUE(holds(refusal("cell: {arm: a}\nvary: {train.seed: [1]}"), {"x.yaml:1: cell"}));
}

}  // namespace
}  // namespace locus
