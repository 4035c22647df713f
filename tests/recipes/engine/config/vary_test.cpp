// Arms, grids and overrides: which cells, in which order, under which names, with which values.
#include "tests/recipes/engine/config/support.h"

namespace locus {
namespace {

std::vector<std::string> names(const std::vector<Cell>& cells) {
    std::vector<std::string> all;
    for (const Cell& cell : cells) all.push_back(cell.name);
    return all;
}

using Names = std::vector<std::string>;

TEST(Cells, ARecipeThatVariesNothingIsOne) {
    const auto cells = cells_from("question: q");
    EXPECT_EQ(names(cells), (Names{"x"}));
    EXPECT_TRUE(cells[0].recipe.cell.empty());
    EXPECT_EQ(names(cells_from("question: q\nvary: {}")), (Names{"x"}));
    EXPECT_EQ(expand({"a/.yaml", recipe_from("question: q").root}, {}, test_schema())[0].name, "run");
    EXPECT_EQ(expand({"a/b c.yaml", recipe_from("question: q").root}, {}, test_schema())[0].name, "b_c");
}

TEST(Cells, ArmsAreOutermostAndTheLastGridIsFastest) {
    const auto cells = cells_from(
        "encoding: {kind: rope, base: 500}\n"
        "vary:\n"
        "  train.seed: [0, 1]\n"
        "  arm:\n"
        "    - {name: rope}\n"
        "    - {name: nope, encoding: {kind: nope}}\n"
        "  train.lr: [1e-3, 3.e-4]\n");
    EXPECT_EQ(names(cells), (Names{"rope,seed=0,lr=0.001", "rope,seed=0,lr=0.0003", "rope,seed=1,lr=0.001",
                                   "rope,seed=1,lr=0.0003", "nope,seed=0,lr=0.001", "nope,seed=0,lr=0.0003",
                                   "nope,seed=1,lr=0.001", "nope,seed=1,lr=0.0003"}));
    EXPECT_EQ(cells[3].recipe.train.seed, 1u);
    EXPECT_EQ(cells[3].recipe.train.lr, 3e-4);
    EXPECT_EQ(cells[3].recipe.encoding.options.number("base"), 500);
    EXPECT_EQ(cells[4].recipe.encoding.kind, "nope");
    EXPECT_TRUE(cells[4].recipe.encoding.options.values().empty());
    EXPECT_EQ(cells[6].recipe.cell,
              (std::vector<Coordinate>{{"arm", "nope"}, {"train.seed", "1"}, {"train.lr", "0.001"}}));
}

TEST(Cells, ABlockReplacesTheBlockAndADottedKeyOneValue) {
    const auto cells = cells_from(
        "model: {width: 64, layers: 2}\n"
        "vary:\n"
        "  arm:\n"
        "    - {name: block, model: {layers: 3}}\n"
        "    - {name: dotted, model.layers: 3}\n"
        "    - {name: both, model: {layers: 3}, model.heads: 2}\n");
    EXPECT_EQ(cells[0].recipe.model.width, 128);  // the default: the block's width is gone
    EXPECT_EQ(cells[0].recipe.model.layers, 3);
    EXPECT_EQ(cells[1].recipe.model.width, 64);
    EXPECT_EQ(cells[1].recipe.model.layers, 3);
    EXPECT_EQ(cells[2].recipe.model.width, 128);
    EXPECT_EQ(cells[2].recipe.model.heads, 2);
}

TEST(Cells, TheBlockOfDataIsTheLongestTrainingLength) {
    const auto cells =
        cells_from("train: {length: 32}\nvary: {arm: [{name: a}, {name: b, train.length: 64}]}");
    EXPECT_EQ(cells[0].recipe.train.length, 32);
    EXPECT_EQ(cells[0].recipe.data.block, 64);
    EXPECT_EQ(cells[1].recipe.data.block, 64);
    EXPECT_EQ(cells[0].recipe.evaluate.lengths, cells[1].recipe.evaluate.lengths);
    EXPECT_TRUE(holds(
        refusal("vary: {arm: [{name: a, train: {length: 64}}, {name: b, train: {length: 32, batch_tokens: "
                "960}}], data.block: [96]}"),
        {"96", "64", "(cell a,96)"}));
}

TEST(Cells, NamesAreUniqueAndSafe) {
    EXPECT_EQ(names(cells_from("vary: {encoding.base: [100, 1e4]}")), (Names{"base=100", "base=10000"}));
    EXPECT_EQ(names(cells_from("vary: {encoding.kind: [rope, nope]}")), (Names{"kind=rope", "kind=nope"}));
    EXPECT_EQ(names(cells_from("vary: {model.bias: [yes, no]}")), (Names{"bias=true", "bias=false"}));
    EXPECT_EQ(names(cells_from("vary: {train.steps: [1e1, 20]}")), (Names{"steps=10", "steps=20"}));
    EXPECT_EQ(names(cells_from("vary: {data.corpus: [/a/b, c]}")), (Names{"corpus=_a_b", "corpus=c"}));
    EXPECT_EQ(names(cells_from("vary: {data.generator_seed: [1], train.seed: [2]}")),
              (Names{"generator_seed=1,seed=2"}));
    EXPECT_TRUE(holds(refusal("vary: {train.seed: [1, 2, 1]}"), {"two cells are named 'seed=1'"}));
    EXPECT_TRUE(holds(refusal("vary: {train.lr: [1e-3, 0.001]}"), {"two cells are named 'lr=0.001'"}));
    EXPECT_TRUE(holds(refusal("vary: {data.corpus: [a/b, a:b]}"), {"two cells are named"}));
}

TEST(Cells, ErrorsOfArmsNameTheirLine) {
    const std::string head = "vary:\n  arm:\n    - {name: a}\n";
    EXPECT_TRUE(
        holds(refusal(head + "    - {name: a, model.width: 64}\n"), {"x.yaml:4: ", "'a'", "x.yaml:3"}));
    EXPECT_TRUE(holds(refusal(head + "    - {model.width: 64}\n"), {"x.yaml:4: ", "without a name"}));
    EXPECT_TRUE(holds(refusal(head + "    - {name: a/b}\n"), {"x.yaml:4: ", "'a/b'"}));
    EXPECT_TRUE(holds(refusal(head + "    - {name: ..}\n"), {"x.yaml:4: ", "'..'"}));
    EXPECT_TRUE(
        holds(refusal(head + "    - {name: b, model: {widht: 64}}\n"), {"x.yaml:4: ", "'model.width'"}));
    EXPECT_TRUE(
        holds(refusal(head + "    - {name: b, model.heads: 3}\n"), {"x.yaml:4: ", "128", "3", "(cell b)"}));
    EXPECT_TRUE(holds(refusal(head + "    - {name: b, encoding: {kind: nope, base: 3}}\n"),
                      {"x.yaml:4: encoding.base", "'nope'", "(cell b)"}));
    EXPECT_TRUE(holds(refusal(head + "    - {name: b, train.lr: x}\n"), {"x.yaml:4: train.lr"}));
    EXPECT_TRUE(holds(refusal(head + "    - b\n"), {"x.yaml:4: ", "'b'"}));
    EXPECT_TRUE(holds(refusal(head + "    - {name: b, question: other}\n"),
                      {"x.yaml:4: ", "'question' cannot vary"}));
    EXPECT_TRUE(holds(refusal("vary: {arm: []}"), {"vary.arm: expected a list"}));
    EXPECT_TRUE(holds(refusal("vary: [1]"), {"vary: expected a map"}));
}

TEST(Cells, ErrorsOfGridsNameTheirLine) {
    EXPECT_TRUE(
        holds(refusal("vary:\n  train.seed: 3"), {"x.yaml:2: vary.train.seed: expected a list", "'3'"}));
    EXPECT_TRUE(holds(refusal("vary:\n  train.seed: []"), {"x.yaml:2: vary.train.seed"}));
    EXPECT_TRUE(holds(refusal("vary:\n  train.seed: [0, x]"), {"x.yaml:2: train.seed", "'x'"}));
    EXPECT_TRUE(
        holds(refusal("vary:\n  train.seed: [[0]]"), {"x.yaml:2: vary.train.seed: expected one value"}));
    EXPECT_TRUE(holds(refusal("vary:\n  encoding: [{kind: nope}]"), {"x.yaml:2: ", "dotted key"}));
    EXPECT_TRUE(holds(refusal("vary:\n  table.rows: [arm]"), {"x.yaml:2: ", "cannot vary"}));
    EXPECT_TRUE(holds(refusal("vary:\n  model.heads: [4, 3]"), {"x.yaml:2: ", "3 heads", "(cell 3)"}));
    EXPECT_TRUE(holds(refusal("vary:\n  arm: [{name: a, train.seed: 4}]\n  train.seed: [0]"),
                      {"x.yaml:3: train.seed", "'a'", "x.yaml:2"}));
    EXPECT_TRUE(
        holds(refusal("encoding: {kind: nope}\nvary:\n  encoding.base: [3]"), {"x.yaml:3: encoding.base"}));
}

TEST(Overrides, LieOverEverything) {
    const std::string text =
        "train: {lr: 1e-3}\nvary: {arm: [{name: a, train: {seed: 1}}, {name: b, encoding: {kind: nope}}]}";
    for (const Cell& cell : cells_from(text, {"train.lr=2e-2", "model.layers=1"})) {
        EXPECT_EQ(cell.recipe.train.lr, 2e-2) << cell.name;
        EXPECT_EQ(cell.recipe.model.layers, 1) << cell.name;
    }
    EXPECT_EQ(one("question: q", {"evaluate.lengths=[16, 32]"}).evaluate.lengths,
              (std::vector<Index>{16, 32}));
    EXPECT_EQ(one("question: q", {"question=why = #1?"}).question, "why = #1?");
    EXPECT_EQ(one("train: {lr: 5, seed: 9}", {"train={lr: 1}"}).train.seed, 0u);
    EXPECT_EQ(one("train: {seed: 9}", {"train.seed=4"}).train.seed, 4u);
}

TEST(Overrides, AreTypedByTheSchema) {
    const std::string text = "question: q";
    EXPECT_TRUE(holds(refusal(text, {"train.lr=1e-4x"}),
                      {"command line: train.lr=1e-4x: train.lr: expected a number"}));
    EXPECT_TRUE(holds(refusal(text, {"train.lr=-0.5"}), {"train.lr: expected a number > 0, found '-0.5'"}));
    EXPECT_TRUE(
        holds(refusal(text, {"train.seed=-1"}), {"train.seed: expected an integer >= 0, found '-1'"}));
    EXPECT_TRUE(holds(refusal(text, {"train.lr="}), {"train.lr"}));
    EXPECT_TRUE(holds(refusal(text, {"train.lr"}), {"key=value", "'train.lr'"}));
    EXPECT_TRUE(holds(refusal(text, {"=3"}), {"key=value", "'=3'"}));
    EXPECT_TRUE(
        holds(refusal(text, {"evaluate.lengths=16,32"}), {"evaluate.lengths: expected a list", "'16,32'"}));
    EXPECT_TRUE(holds(refusal(text, {"evaluate.lengths=[16"}), {"command line: evaluate.lengths=[16"}));
    EXPECT_TRUE(holds(refusal(text, {"cell={arm: a}"}), {"command line", "'cell'"}));
    EXPECT_EQ(one("encoding: {kind: alibi}", {"encoding.offset=-.5"}).encoding.options.number("offset"),
              -0.5);
}

TEST(Overrides, DoNotContradictWhatVaries) {
    const std::string text =
        "vary:\n  arm: [{name: a, encoding: {kind: nope}}, {name: b}]\n  train.seed: [0, 1]\n";
    EXPECT_TRUE(holds(refusal(text, {"train.seed=4"}), {"train.seed=4", "x.yaml:3", "vary.train.seed=[4]"}));
    EXPECT_TRUE(holds(refusal(text, {"encoding.kind=rope"}), {"encoding.kind", "arm 'a'", "x.yaml:2"}));
    EXPECT_TRUE(holds(refusal(text, {"encoding={kind: rope}"}), {"encoding", "x.yaml:2"}));
    EXPECT_EQ(names(cells_from(text, {"vary.train.seed=[4]"})), (Names{"a,seed=4", "b,seed=4"}));
    EXPECT_EQ(names(cells_from(text, {"vary={}", "train.seed=4"})), (Names{"x"}));
    EXPECT_EQ(names(cells_from("question: q", {"vary.train.seed=[1, 2]"})), (Names{"seed=1", "seed=2"}));
}

TEST(Tables, RowsOfARecipeWithoutArmsAreItsFirstGrid) {
    EXPECT_EQ(cells_from("vary: {train.seed: [0], encoding.base: [5]}")[0].recipe.table.rows,
              "encoding.base");
    EXPECT_EQ(cells_from("vary: {train.seed: [0]}")[0].recipe.table.rows, "arm");
    EXPECT_EQ(cells_from("vary: {encoding.base: [5], arm: [{name: a}]}")[0].recipe.table.rows, "arm");
}

}  // namespace
}  // namespace locus
