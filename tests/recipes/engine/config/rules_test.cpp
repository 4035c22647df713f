// What must fit together in a recipe, and the defaults that depend on other values.
#include "tests/recipes/engine/config/support.h"

namespace locus {
namespace {

TEST(Defaults, OfAnAlmostEmptyRecipe) {
    const Recipe recipe = one("question: q");
    EXPECT_EQ(recipe.data.block, 128);
    EXPECT_EQ(recipe.model.kv_heads, 4);
    EXPECT_EQ(recipe.model.vocabulary, 256);
    EXPECT_EQ(recipe.encoding.kind, "rope");
    EXPECT_TRUE(recipe.mask.causal);
    EXPECT_EQ(recipe.mask.window, 0);
    EXPECT_EQ(recipe.train.steps(), 489);  // 4e6 / 8192 = 488.28
    EXPECT_EQ(recipe.train.tokens, 489 * 8192);
    EXPECT_EQ(recipe.train.warmup_steps, 15);  // 0.03 x 489 = 14.67
    EXPECT_EQ(recipe.evaluate.lengths, (std::vector<Index>{128, 256, 512, 1024}));
    EXPECT_EQ(recipe.evaluate.targets, 2048);
    EXPECT_EQ(recipe.evaluate.protocols, (std::vector<Protocol>{{"non_overlapping"}, {"same_target"}}));
}

TEST(Defaults, FollowTheValuesThatTheyDependOn) {
    EXPECT_DOUBLE_EQ(one("train: {lr: 2e-2}").train.min_lr, 2e-3);
    EXPECT_EQ(one("train: {lr: 2e-2, min_lr: 0}").train.min_lr, 0);
    EXPECT_EQ(one("model: {heads: 8, width: 64}").model.kv_heads, 8);
    EXPECT_EQ(one("train: {length: 64}").data.block, 64);
    EXPECT_EQ(one("train: {length: 64}").evaluate.lengths.back(), 512);
    EXPECT_EQ(one("train: {steps: 100, warmup: 0.05}").train.warmup_steps, 5);
    EXPECT_EQ(one("train: {steps: 100, warmup_steps: 7}").train.warmup_steps, 7);
    EXPECT_EQ(one("train: {steps: 100, batch_tokens: 1024}").train.tokens, 102400);
    EXPECT_EQ(one("data: {corpus: generated}").data.documents, 64);
    EXPECT_FALSE(one("data: {corpus: austen}").data.documents.has_value());
}

TEST(Defaults, RoundedTokensAreNoted) {
    const auto rounded = cells_from("train: {tokens: 8193}");
    EXPECT_EQ(rounded[0].recipe.train.tokens, 16384);
    ASSERT_EQ(rounded[0].notes.size(), 1u);
    EXPECT_TRUE(holds(rounded[0].notes[0], {"8193", "16384", "2 whole steps of 8192"}));
    EXPECT_TRUE(cells_from("train: {tokens: 8192}")[0].notes.empty());
}

TEST(Rules, HeadsDivide) {
    EXPECT_TRUE(holds(refusal("model:\n  width: 64\n  heads: 3\n"), {"x.yaml:3: ", "64", "3 heads"}));
    EXPECT_TRUE(holds(refusal("model: {heads: 4, kv_heads: 3}"), {"kv_heads", "4 heads", "3 kv_heads"}));
    EXPECT_TRUE(holds(refusal("model: {heads: 4, kv_heads: 8}"), {"4 heads", "8 kv_heads"}));
    EXPECT_EQ(one("model: {width: 520, heads: 8, kv_heads: 2}").model.head_dim(), 65);
    EXPECT_TRUE(
        holds(refusal("model: {width: 0}"), {"model.width: expected an integer in [1, 65536], found '0'"}));
    EXPECT_TRUE(
        holds(refusal("model: {heads: -4}"), {"model.heads: expected an integer in [1, 65536], found '-4'"}));
    EXPECT_TRUE(holds(refusal("model: {width: 4, mlp_ratio: 0.1}"), {"mlp_ratio", "0.1", "width 4"}));
}

TEST(Rules, BatchesAndBlocksAreWhole) {
    EXPECT_TRUE(holds(refusal("train:\n  length: 96\n  batch_tokens: 1000\n"), {"x.yaml:3: ", "1000", "96"}));
    EXPECT_TRUE(
        holds(refusal("data: {block: 100}\ntrain: {length: 64}"), {"x.yaml:1: data.block", "100", "64"}));
    EXPECT_EQ(one("data: {block: 256}\ntrain: {length: 64}").data.block, 256);
    EXPECT_TRUE(holds(refusal("train: {shards: 12}"), {"train.shards", "power of two", "12"}));
    EXPECT_TRUE(holds(refusal("train: {shards: 0}"), {"train.shards"}));
    EXPECT_TRUE(
        holds(refusal("train: {steps: 1.5}"), {"train.steps: expected an integer >= 1, found '1.5'"}));
    EXPECT_TRUE(holds(refusal("train: {steps: 5, warmup_steps: 6}"), {"warmup_steps 6", "5 steps"}));
    EXPECT_TRUE(
        holds(refusal("train: {warmup: 3}"), {"train.warmup: expected a number in [0, 1], found '3'"}));
    EXPECT_TRUE(holds(refusal("train: {lr: 1e-4, min_lr: 1e-3}"), {"min_lr 0.001", "lr 0.0001"}));
    EXPECT_TRUE(holds(refusal("train: {beta2: 1}"), {"[0, 1)"}));
    EXPECT_TRUE(holds(refusal("train: {clip: -1}"), {">= 0", "'-1'"}));
    EXPECT_TRUE(holds(refusal("train: {keep: 0}"), {">= 1"}));
    EXPECT_TRUE(holds(refusal("train: {checkpoint_every: 0}"), {">= 1"}));
    EXPECT_TRUE(holds(refusal("train: {keep_every: -1}"), {">= 0", "'-1'"}));
    EXPECT_TRUE(holds(refusal("train:\n  checkpoint_every: 20\n  keep_every: 50"),
                      {"x.yaml:3: train.keep_every", "multiple of train.checkpoint_every (20), found 50"}));
    EXPECT_EQ(one("train: {checkpoint_every: 20, keep_every: 60}").train.keep_every, 60);
}

TEST(Rules, Masks) {
    EXPECT_EQ(one("mask: {window: 1}").mask.window, 1);
    EXPECT_EQ(one("mask: {window: 8, global: 2}").mask.global, 2);
    EXPECT_EQ(one("mask: {window: 0}").mask.window, 0);  // no window
    EXPECT_TRUE(holds(refusal("mask: {window: 0, global: 2}"), {"mask.global", "mask.window"}));
    for (const std::string window : {"-1", "-4"})
        EXPECT_TRUE(holds(refusal("mask:\n  window: " + window),
                          {"x.yaml:2: mask.window: expected an integer >= 0, found '" + window + "'"}));
    EXPECT_TRUE(holds(refusal("mask: {global: 2}"), {"mask.global", "mask.window"}));
    EXPECT_TRUE(one("mask: {window: 8, global: 2, global_projections: true}").mask.global_projections);
    EXPECT_TRUE(holds(refusal("mask:\n  window: 8\n  global_projections: true"),
                      {"x.yaml:3: mask.global_projections", "mask.global"}));
    EXPECT_FALSE(one("mask: {causal: false}").mask.causal);  // refused by who trains on the next token
}

TEST(Rules, MasksByLayer) {
    EXPECT_EQ(one("mask: {window: [32, 0, 32, 0]}").mask.window, (PerLayer{32, 0, 32, 0}));
    const Recipe recipe = one("mask: {window: [4, 0], dilation: [3, 1]}\nmodel: {layers: 2}");
    EXPECT_EQ(recipe.mask.dilation, (PerLayer{3, 1}));
    EXPECT_EQ(one("mask: {window: [4, 0, 0, 4], dilation: 2}").mask.dilation, 2);
    EXPECT_TRUE(
        holds(refusal("mask:\n  window: [32, 0, 32]"),
              {"x.yaml:2: mask.window: expected one number or one for each of the 4 layers, found 3"}));
    EXPECT_TRUE(holds(refusal("mask:\n  window: [32]"), {"x.yaml:2: mask.window", "4 layers", "found 1"}));
    EXPECT_TRUE(holds(refusal("mask:\n  window: []"), {"x.yaml:2: mask.window", "a list such as"}));
    EXPECT_TRUE(holds(refusal("mask:\n  window: [4, -1, 4, 4]"),
                      {"x.yaml:2: mask.window: expected an integer >= 0, found '-1'"}));
    EXPECT_TRUE(holds(refusal("mask:\n  window: [4, 2.5, 4, 4]"), {"mask.window", "'2.5'"}));
    EXPECT_TRUE(holds(refusal("mask:\n  window: 4\n  dilation: 0"),
                      {"x.yaml:3: mask.dilation: expected an integer in [1, 1000000], found '0'"}));
    EXPECT_TRUE(holds(refusal("mask:\n  dilation: 2"), {"x.yaml:2: mask.dilation", "mask.window"}));
    EXPECT_TRUE(holds(refusal("mask:\n  window: [4, 0, 4, 4]\n  dilation: [1, 2, 1, 1]"),
                      {"x.yaml:3: mask.dilation: 2 has no effect in layer 1", "no window"}));
    EXPECT_TRUE(holds(refusal("mask: {window: [0, 0, 0, 0], global: 1}"), {"mask.global", "mask.window"}));
    EXPECT_TRUE(holds(refusal("mask: {attention_window: 3}"), {"'mask.window'"}));
}

TEST(Rules, Evaluation) {
    const Recipe recipe =
        one("evaluate: {lengths: [64, 96], protocols: [sliding, sliding:16, per_position]}");
    EXPECT_EQ(recipe.evaluate.lengths, (std::vector<Index>{64, 96}));
    EXPECT_EQ(recipe.evaluate.protocols,
              (std::vector<Protocol>{{"sliding"}, {"sliding", 16}, {"per_position"}}));
    EXPECT_EQ(one("evaluate: {split: test}").evaluate.split, EvaluatedSplit::test);
    for (const std::string lengths : {"[]", "[0]", "[-1]", "[64, 64]", "[64, 32]", "[1.5]", "[[64]]", "[a]"})
        EXPECT_TRUE(
            holds(refusal("evaluate:\n  lengths: " + lengths), {"x.yaml:2: evaluate.lengths: expected"}))
            << lengths;
    EXPECT_TRUE(holds(refusal("evaluate:\n  protocols: [slidng]"),
                      {"x.yaml:2: evaluate.protocols: ", "'slidng'",
                       "non_overlapping, per_position, same_target, sliding[:stride]"}));
    for (const std::string protocol : {"sliding:0", "sliding:-4", "sliding:x", "'sliding:'", "same_target:3"})
        EXPECT_TRUE(holds(refusal("evaluate: {protocols: [" + protocol + "]}"), {"evaluate.protocols"}))
            << protocol;
    EXPECT_TRUE(holds(refusal("evaluate: {protocols: [sliding, sliding]}"), {"twice"}));
    EXPECT_TRUE(holds(refusal("evaluate: {lengths: [8, 64], protocols: [sliding:16]}"), {"sliding:16", "8"}));
    EXPECT_TRUE(holds(refusal("evaluate: {split: train}"), {"valid, test", "'train'"}));
}

TEST(Rules, Data) {
    EXPECT_EQ(one("data: {valid: 0.2}").data.valid_fraction, 0.2);
    EXPECT_EQ(one("data: {corpus: a, valid: emma}").data.valid, (std::vector<std::string>{"emma"}));
    EXPECT_EQ(one("data: {corpus: a, test: [emma, '1984']}").data.test,
              (std::vector<std::string>{"emma", "1984"}));
    for (const std::string valid :
         {"1", "-0.1", "1.5", "0,1", "1e400", "0.1x", "''", "[]", "[a, a]", "{a: 1}", ""})
        EXPECT_TRUE(holds(refusal("data:\n  valid: " + valid), {"x.yaml:2: data.valid: "})) << valid;
    EXPECT_TRUE(holds(refusal("data: {valid: 0.6, test: 0.5}"), {"x.yaml:1: ", "nothing is left"}));
    EXPECT_TRUE(
        holds(refusal("data: {corpus: austen, documents: 3}"), {"data.documents", "generated", "'austen'"}));
    EXPECT_TRUE(holds(refusal("data:\n  tokenizer: bite"), {"x.yaml:2: data.tokenizer: ", "bite"}));
    EXPECT_TRUE(holds(refusal("data: {corpus: ''}"), {"data.corpus"}));
}

TEST(Rules, Positions) {
    const auto of = [](const std::string& text) {
        return one("data: {" + text + "}\ntrain: {length: 64}").data.positions;
    };
    EXPECT_EQ(of("corpus: generated").kind, PositionKind::consecutive);
    EXPECT_EQ(of("positions: packed").kind, PositionKind::packed);
    EXPECT_EQ(of("positions: randomized").max_position, 2048);
    EXPECT_EQ(of("positions: randomized, max_position: 512").max_position, 512);
    EXPECT_EQ(of("positions: pose").max_position, 512);  // the greatest evaluated length
    EXPECT_EQ(of("positions: pose").chunks, 2);
    EXPECT_EQ(of("positions: pose, max_position: 96, chunks: 5").span(64), 96);
    EXPECT_EQ(of("positions: packed").span(64), 64);
    EXPECT_TRUE(holds(refusal("data:\n  positions: random"),
                      {"x.yaml:2: data.positions: expected one of consecutive, packed, randomized, pose"}));
    EXPECT_TRUE(holds(refusal("data:\n  max_position: 9"), {"x.yaml:2: data.max_position", "randomized"}));
    EXPECT_TRUE(
        holds(refusal("data: {positions: packed, max_position: 999}"), {"data.max_position", "pose"}));
    EXPECT_TRUE(holds(refusal("data: {positions: randomized, chunks: 2}"), {"data.chunks", "pose"}));
    EXPECT_TRUE(holds(refusal("data: {positions: pose, chunks: 1}"), {"data.chunks", ">= 2", "'1'"}));
    EXPECT_TRUE(holds(refusal("data: {positions: pose, max_position: 63}\ntrain: {length: 64}"),
                      {"data.max_position 63", "64"}));
    EXPECT_TRUE(holds(refusal("data: {positions: pose, chunks: 65}\ntrain: {length: 64}"), {"65", "64"}));
    EXPECT_TRUE(holds(refusal("data: {positions: randomized, max_position: 511}\ntrain: {length: 64}"),
                      {"data.max_position 511", "512", "evaluate.lengths"}));
    EXPECT_TRUE(holds(refusal("train: {length: 4096}\ndata: {positions: randomized}"), {"2048", "4096"}));
}

TEST(Rules, Tables) {
    const Recipe recipe =
        one("table: {rows: encoding.base, columns: [length], cell: perplexity, over: train.lr}");
    EXPECT_EQ(recipe.table.rows, "encoding.base");
    EXPECT_EQ(recipe.table.columns, (std::vector<std::string>{"length"}));
    EXPECT_EQ(recipe.table.cell, "perplexity");
    EXPECT_EQ(recipe.table.over, "train.lr");
    EXPECT_EQ(one("table: {rows: context, columns: [arm, protocol]}").table.rows, "context");
    EXPECT_TRUE(holds(refusal("table: {rows: arms}"), {"table.rows", "'arms'", "arm, protocol, length"}));
    EXPECT_TRUE(holds(refusal("table: {rows: length}"), {"table.columns", "'length'", "already"}));
    EXPECT_TRUE(holds(refusal("table: {over: seed}"), {"table.over", "'seed'"}));
    EXPECT_TRUE(holds(refusal("table: {cell: bits}"), {"table.cell", "bits_per_byte", "'bits'"}));
}

TEST(Rules, Contrasts) {
    const std::string arms = "vary: {arm: [{name: plain}, {name: yarn-4}]}\n";
    const auto cells = cells_from(arms + "table: {contrasts: [yarn-4 - plain]}");
    ASSERT_EQ(cells.size(), 2u);
    EXPECT_EQ(cells[1].recipe.table.contrasts, (std::vector<std::string>{"yarn-4 - plain"}));
    for (const char* wrong : {"yarn-4", "yarn-4-plain", "yarn-4 - ", "plain - plain", "a - b - c"})
        EXPECT_TRUE(holds(refusal(arms + "table: {contrasts: ['" + wrong + "']}"),
                          {"table.contrasts", "'A - B'", wrong}))
            << wrong;
    EXPECT_TRUE(holds(refusal(arms + "table: {contrasts: [yarn - plain]}"),
                      {"table.contrasts", "no arm 'yarn'", "vary"}));
    EXPECT_EQ(one("table: {contrasts: [yarn-4 - plain]}").table.contrasts.size(), 1u);
}

}  // namespace
}  // namespace locus
