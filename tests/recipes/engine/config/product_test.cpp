// Products: of arms, of axes of bundles; zip, except, when, ranges; patterns of contrasts.
#include "tests/recipes/engine/config/support.h"

namespace locus {
namespace {

using Names = std::vector<std::string>;

Names folders_of(const std::vector<Cell>& cells) {
    Names all;
    for (const Cell& cell : cells) all.push_back(cell.name);
    return all;
}

const std::string rules = R"(
vary:
  arm:
    - { name: plain }
    - name: "{kind}-{size}{stage}"
      product:
        zip: { size: [2, 4], length: [64, 128] }
        kind: [nope, alibi]
        stage:
          - { name: -0, train.steps: 1 }
          - { name: "", train.length: "{length}", train.batch_tokens: 1024 }
      encoding.kind: "{kind}"
      except: { kind: nope, stage: -0 }
      when: { kind: alibi, size: 4, set: { encoding.offset: 0.5 } }
)";

TEST(Products, MakeArmsNamedByTheirValues) {
    const auto cells = cells_from(rules);
    EXPECT_EQ(folders_of(cells),
              (Names{"plain", "nope-2", "alibi-2-0", "alibi-2", "nope-4", "alibi-4-0", "alibi-4"}));
    EXPECT_EQ(cells[2].recipe.encoding.kind, "alibi");
    EXPECT_EQ(cells[2].recipe.encoding.options.number("offset"), 0);
    EXPECT_EQ(cells[2].recipe.train.steps(), 1);
    EXPECT_EQ(cells[4].recipe.train.length, 128);
    EXPECT_EQ(cells[6].recipe.encoding.options.number("offset"), 0.5);
    EXPECT_EQ(cells[6].recipe.cell, (std::vector<Coordinate>{{"arm", "alibi-4"}}));
    EXPECT_EQ(folders_of(cells_from("vary: {arm: [{product: {a: [x, y], b: ['', z]}}]}")),
              (Names{"x", "x-z", "y", "y-z"}));
}

TEST(Products, AKeyIsAnAxisToo) {
    const auto cells = cells_from(
        "vary:\n  arm:\n    - {name: 'r{encoding.base}', product: {encoding.base: {from: 100, to: 10000, "
        "factor: 10}}}\n");
    EXPECT_EQ(folders_of(cells), (Names{"r100", "r1000", "r10000"}));
    EXPECT_EQ(cells[1].recipe.encoding.options.number("base"), 1000);
}

TEST(Products, AWholeBlockOfNothingTakesAway) {
    const auto cells = cells_from(
        "train: {steps: 3}\n"
        "vary:\n  arm:\n    - {name: a}\n"
        "    - {name: '{x}', product: {x: [b, c]}, from.arm: a, train.steps: 0, when: {x: c, set: {from: {}, "
        "train.steps: 2}}}\n");
    EXPECT_EQ(cells[1].recipe.from.arm, "a");
    EXPECT_FALSE(cells[2].recipe.from.given());
}

TEST(Products, MistakesNameTheirLine) {
    const auto refused = [](const std::string& arm) {
        return refusal("vary:\n  arm:\n    - {" + arm + "}\n");
    };
    EXPECT_TRUE(
        holds(refused("name: '{a}', product: {a: [x, x]}"), {"x.yaml:3: ", "two arms are named 'x'"}));
    EXPECT_TRUE(
        holds(refused("name: fixed, product: {a: [x, y]}"), {"x.yaml:3: ", "two arms are named 'fixed'"}));
    EXPECT_TRUE(
        holds(refused("name: '{b}', product: {a: [x]}"), {"x.yaml:3: '{b}': expected {a} within braces"}));
    EXPECT_TRUE(holds(refused("name: '{a', product: {a: [x]}"), {"x.yaml:3: ", "within braces"}));
    EXPECT_TRUE(holds(refused("product: {a: [x/y]}"), {"x.yaml:3: ", "names a folder", "'x/y'"}));
    EXPECT_TRUE(holds(refused("product: {a: ['']}"), {"x.yaml:3: ", "without a name"}));
    EXPECT_TRUE(
        holds(refused("product: {a: [{train.lr: 1}]}"), {"x.yaml:3: vary.arm.product.a: ", "needs a name"}));
    EXPECT_TRUE(holds(refused("product: {a: []}"), {"x.yaml:3: vary.arm.product.a: expected a list"}));
    EXPECT_TRUE(holds(refused("product: {}"), {"x.yaml:3: vary.arm.product: expected axes"}));
    EXPECT_TRUE(holds(refused("product: {train.sede: [1]}"), {"x.yaml:3: ", "'train.seed'"}));
    EXPECT_TRUE(holds(refused("product: {table.rows: [arm]}"), {"x.yaml:3: ", "cannot vary"}));
    EXPECT_TRUE(holds(refused("name: b, except: {a: x}"), {"x.yaml:3: ", "belong to a `product`"}));
    EXPECT_TRUE(holds(refused("product: {a: [x]}, except: {c: x}"),
                      {"x.yaml:3: vary.arm.except: ", "axes a, found 'c'"}));
    EXPECT_TRUE(holds(refused("product: {a: [x]}, except: {a: y}"),
                      {"x.yaml:3: vary.arm.except.a: expected one of x"}));
    EXPECT_TRUE(
        holds(refused("product: {a: [x]}, except: {a: x}"), {"x.yaml:3: vary.arm: except leaves nothing"}));
    EXPECT_TRUE(holds(refused("product: {a: [x]}, when: {a: x}"), {"x.yaml:3: vary.arm.when: ", "`set`"}));
    EXPECT_TRUE(holds(refused("product: {a: [x]}, when: {a: x, set: {train.sede: 1}}"),
                      {"x.yaml:3: ", "'train.seed'"}));
    EXPECT_TRUE(holds(refused("product: {zip: {a: [x], b: [y, z]}}"), {"x.yaml:3: ", "a has 1, b has 2"}));
    EXPECT_TRUE(holds(refused("product: {zip: {a: [x]}}"), {"x.yaml:3: ", "two axes or more"}));
    EXPECT_TRUE(holds(refused("product: {a: [x]}, train.lr: '{a}'"),
                      {"x.yaml:3: train.lr: expected a number > 0, found 'x'"}));
}

TEST(Axes, OfBundlesAreCoordinates) {
    const auto cells = cells_from(R"(
vary:
  rule: [{ name: nope, encoding: { kind: nope } }, { name: slow, encoding.base: 10 }]
  train.seed: [0, 1]
  except: { rule: nope, train.seed: 1 }
  when: { rule: slow, train.seed: 1, set: { train.lr: 5e-3 } }
table: { rows: rule }
)");
    EXPECT_EQ(folders_of(cells), (Names{"rule=nope,seed=0", "rule=slow,seed=0", "rule=slow,seed=1"}));
    EXPECT_EQ(cells[2].recipe.train.lr, 5e-3);
    EXPECT_EQ(cells[1].recipe.train.lr, 1e-3);
    EXPECT_EQ(cells[0].recipe.table.rows, "rule");
    EXPECT_EQ(cells[0].varied,
              (Names{"encoding", "encoding.base", "encoding.kind", "train.lr", "train.seed"}));
    const auto again = cells_from(write_recipe(cells[2].recipe, test_schema()));
    EXPECT_EQ(again[0].name, cells[2].name);
    EXPECT_EQ(cells_from("vary: {rule: [{name: a}, {name: b}]}")[0].recipe.table.rows, "rule");
}

TEST(Axes, GoTogether) {
    const auto cells = cells_from(
        "vary:\n  model.layers: [1, 2]\n  zip: {train.length: [16, 32], train.batch_tokens: [64, 128]}\n");
    EXPECT_EQ(folders_of(cells),
              (Names{"layers=1,length=16,batch_tokens=64", "layers=1,length=32,batch_tokens=128",
                     "layers=2,length=16,batch_tokens=64", "layers=2,length=32,batch_tokens=128"}));
    EXPECT_EQ(cells_from("vary: {zip: [{model.layers: [1, 2], train.seed: [5, 6]}, {train.lr: [1, 2], "
                         "train.clip: [3, 4]}]}")
                  .size(),
              4u);
    EXPECT_TRUE(holds(refusal("vary:\n  zip: {model.layers: [1, 2], train.seed: [5]}"),
                      {"x.yaml:2: vary.zip: ", "has 1"}));
    EXPECT_TRUE(holds(refusal("vary:\n  zip: [1]"), {"x.yaml:2: vary.zip: expected a map"}));
    EXPECT_TRUE(holds(refusal("vary:\n  train.seed: [1]\n  zip: {model.layers: [1, 2], train.seed: [5, 6]}"),
                      {"x.yaml:", "train.seed is an axis twice"}));
    EXPECT_TRUE(holds(refusal("vary: {except: {arm: a}}"), {"x.yaml:1: vary: expected axes"}));
    EXPECT_TRUE(holds(refusal("vary: {train.seed: [0], when: {train.seed: 0, set: {train.seed: 4}}}"),
                      {"train.seed is an axis of its own"}));
}

TEST(Axes, HaveRanges) {
    const auto values = [](const std::string& range) {
        Names all;
        for (const Cell& cell : cells_from("vary:\n  train.lr: " + range + "\n"))
            all.push_back(cell.recipe.cell[0].value);
        return all;
    };
    EXPECT_EQ(values("{from: 1, to: 4}"), (Names{"1", "2", "3", "4"}));
    EXPECT_EQ(values("{from: 0.1, to: 0.5, step: 0.1}"), (Names{"0.1", "0.2", "0.3", "0.4", "0.5"}));
    EXPECT_EQ(values("{from: 4, to: 1, step: -1}"), (Names{"4", "3", "2", "1"}));
    EXPECT_EQ(values("{from: 64, to: 1024, factor: 2}"), (Names{"64", "128", "256", "512", "1024"}));
    EXPECT_EQ(values("{from: 1, to: 2, count: 3}"), (Names{"1", "1.5", "2"}));
    EXPECT_EQ(values("{from: 1e-4, to: 1e-2, count: 5, log: true}"),
              (Names{"0.0001", "0.0003162", "0.001", "0.003162", "0.01"}));
    EXPECT_EQ(values("{from: 7, to: 7}"), (Names{"7"}));
    EXPECT_EQ(cells_from("question: q", {"vary.train.seed={from: 0, to: 5}"}).size(), 6u);
    EXPECT_EQ(cells_from("vary: {train.seed: {from: 1048576, to: 4194304, factor: 2}}")[1].recipe.train.seed,
              2097152u);
    for (const std::string wrong :
         {"{from: 0, to: 5, step: 2}", "{from: 0, to: 5, step: 0}", "{from: 5, to: 0}",
          "{from: 1, to: 9, factor: 2}", "{from: 1, to: 9, factor: 1}", "{from: 0, to: 8, factor: 2}",
          "{to: 5}", "{from: 1}", "{from: 1, to: 2, stop: 3}", "{from: 1, to: 3, step: 1, count: 3}",
          "{from: 1, to: 2, log: true}", "{from: 0, to: 1, count: 3, log: true}",
          "{from: 0, to: 1, count: 1}", "{from: x, to: 1}", "{from: 0, to: 1e9}", "{}"})
        EXPECT_TRUE(holds(refusal("vary:\n  train.lr: " + wrong + "\n"), {"x.yaml:2: vary.train.lr"}))
            << wrong;
}

TEST(Arms, AreChosenOnTheCommandLineWithWhatTheyBeginWith) {
    const std::string text =
        "train: {steps: 3}\nvary:\n  arm:\n    - {name: a, train.length: 64}\n    - {name: b, from.arm: a}\n "
        "   - {name: c, from.arm: b}\n"
        "    - {name: d, train.length: 256}\n  train.seed: [0, 1]\n";
    const auto all = cells_from(text);
    const auto chosen = cells_from(text, {"vary.arm=[c]"});
    EXPECT_EQ(folders_of(chosen),
              (Names{"a,seed=0", "a,seed=1", "b,seed=0", "b,seed=1", "c,seed=0", "c,seed=1"}));
    EXPECT_FALSE(chosen[0].asked);
    EXPECT_TRUE(chosen[4].asked);
    for (const Cell& cell : chosen)  // the same cells: a choice changes no default
        for (const Cell& same : all)
            if (same.name == cell.name) {
                EXPECT_EQ(write_recipe(same.recipe, test_schema()), write_recipe(cell.recipe, test_schema()));
            }
    EXPECT_EQ(folders_of(cells_from(text, {"vary.arm=a", "vary.train.seed=[0]"})), (Names{"a,seed=0"}));
    EXPECT_TRUE(holds(refusal(text, {"vary.arm=[rope]"}),
                      {"command line: vary.arm=[rope]", "names of its arms: a, b, c, d", "'rope'"}));
    EXPECT_TRUE(holds(refusal("question: q", {"vary.arm=[rope]"}), {"a recipe with arms", "'rope'"}));
    EXPECT_TRUE(holds(refusal(text, {"arm=a"}), {"command line: arm=a", "--arms NAME"}));
    EXPECT_EQ(one_cell(cells_from(text, {"vary.arm=[b]", "vary.train.seed=[1]"}), "x.yaml", "").name,
              "b,seed=1");
    EXPECT_THROW(one_cell(cells_from(text, {"vary.arm=[b]"}), "x.yaml", ""), Error);
}

TEST(Arms, AreOverriddenOneByOne) {
    const std::string text =
        "vary:\n  arm:\n    - {name: yarn, train.lr: 1}\n    - {name: yarn-0.9, train.lr: 2}\n    - {name: "
        "plain}\n";
    EXPECT_TRUE(holds(refusal(text, {"train.lr=5"}),
                      {"train.lr is what arm 'yarn' sets", "vary.arm.yarn.train.lr=5"}));
    const auto cells = cells_from(text, {"vary.arm.yarn-0.9.train.lr=5", "vary.arm.plain.model={layers: 1}"});
    EXPECT_EQ(cells[0].recipe.train.lr, 1);
    EXPECT_EQ(cells[1].recipe.train.lr, 5);
    EXPECT_EQ(cells[2].recipe.model.layers, 1);
    EXPECT_EQ(cells[0].recipe.model.layers, 4);
    EXPECT_TRUE(holds(refusal(text, {"vary.arm.rope.train.lr=5"}),
                      {"vary.arm.NAME.key=value", "yarn, yarn-0.9, plain"}));
    EXPECT_TRUE(holds(refusal(text, {"vary.arm.yarn.train.sede=5"}), {"'train.seed'"}));
    EXPECT_TRUE(holds(refusal(text, {"vary.arm.yarn.table.rows=arm"}), {"cannot vary"}));
}

TEST(Contrasts, HavePatterns) {
    const auto contrasts = [](const std::string& patterns) {
        return cells_from(rules + "table: {contrasts: " + patterns + "}\n")[0].recipe.table.contrasts;
    };
    EXPECT_EQ(contrasts("['{kind}-{size} - plain']"),
              (Names{"nope-2 - plain", "alibi-2 - plain", "nope-4 - plain", "alibi-4 - plain"}));
    EXPECT_EQ(contrasts("['{kind}-{size} - {kind}-{size}-0']"),
              (Names{"alibi-2 - alibi-2-0", "alibi-4 - alibi-4-0"}));
    EXPECT_EQ(contrasts("['{kind}-{size} - nope-{size}', 'nope-{size} - plain']"),
              (Names{"alibi-2 - nope-2", "nope-2 - plain", "alibi-4 - nope-4", "nope-4 - plain"}));
    EXPECT_EQ(contrasts("['* - plain']").size(), 6u);
    EXPECT_EQ(contrasts("['*-2 - *-4', nope-2 - plain]"),
              (Names{"nope-2 - nope-4", "alibi-2 - alibi-4", "nope-2 - plain"}));
    EXPECT_EQ(contrasts("['plain - *-0']"), (Names{"plain - alibi-2-0", "plain - alibi-4-0"}));
    EXPECT_EQ(contrasts("['*-2 - plain', 'nope-* - plain']"),
              (Names{"nope-2 - plain", "alibi-2 - plain", "nope-4 - plain"}));
    const auto refused = [](const std::string& pattern) {
        return refusal(rules + "table: {contrasts: ['" + pattern + "']}\n");
    };
    EXPECT_TRUE(holds(refused("*-9 - plain"), {"table.contrasts", "no pair of arms fits '*-9 - plain'"}));
    EXPECT_TRUE(holds(refused("{rule} - plain"), {"table.contrasts", "'{rule} - plain'", "axis"}));
    EXPECT_TRUE(holds(refused("*-* - plain"), {"table.contrasts", "at most one *"}));
    EXPECT_TRUE(holds(refused("{kind}-2"), {"table.contrasts", "'A - B'"}));
}

TEST(CellNames, ThatAreTooLongAreShortenedWithAHash) {
    const std::string arm(180, 'a');
    const auto cells = cells_from("vary:\n  arm: [{name: " + arm + "}, {name: " + arm +
                                  "b}]\n  data.corpus: [" + std::string(90, 'c') + ", d]\n");
    for (const Cell& cell : cells) EXPECT_LE(cell.name.size(), 200u);
    EXPECT_EQ(cells[0].title, arm + ",corpus=" + std::string(90, 'c'));
    EXPECT_EQ(cells[1].name, arm + ",corpus=d");
    EXPECT_EQ(cells[1].title, "");
    EXPECT_NE(cells[0].name, cells[2].name);
    EXPECT_EQ(cells[0].name.substr(0, 150), arm.substr(0, 150));
}

TEST(CellNames, DoNotMeetTheFilesOfAnExperiment) {
    for (const std::string name :
         {"table.md", "table.csv", "table.tex", "table.json", "table.html", "recipe.yaml", "manifest.json",
          "checkpoints", "evaluations", "metrics.jsonl", "cells.txt"})
        EXPECT_TRUE(
            holds(refusal("vary: {arm: [{name: " + name + "}]}"), {"x.yaml: vary: ", "'" + name + "'"}))
            << name;
    EXPECT_EQ(folders_of(cells_from("vary: {arm: [{name: table.md}], train.seed: [1]}")),
              (Names{"table.md,seed=1"}));
}

}  // namespace
}  // namespace locus
