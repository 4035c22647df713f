// What a recipe says stands against its ancestor, and what it does not say is the ancestor's: run by run and
// arm by arm.

#include "tests/recipes/engine/run/support.h"

namespace locus::test {
namespace {

const std::string small_text =
    "model: {layers: 2, width: 16, heads: 2}\n"
    "train: {batch_tokens: 128, steps: 1, length: 32}\n";

Recipe arm_of(const std::string& text, const std::string& name) {
    for (const Cell& cell : cells_from(small_text + text))
        if (cell.name == name) return cell.recipe;
    ADD_FAILURE() << "no arm " << name;
    return {};
}

const Options& options_in(const Recipe& recipe) {
    return recipe.encoding.options;
}

std::string refusal(const std::function<void()>& work, Failure kind) {
    try {
        work();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), kind) << error.what();
        return error.what();
    }
    ADD_FAILURE() << "accepted";
    return {};
}

// Worked out by hand: half of 32, half of 32, 32 + 1 and 32.
TEST(OpenOptions, AreNumbersInTheResolvedRecipe) {
    const auto with = [](const std::string& kind) {
        return options_in(cell_from({{"train.length", "32"}, {"encoding.kind", kind}}).recipe);
    };
    EXPECT_EQ(with("fire").number("init_L"), 16);
    EXPECT_EQ(with("xpos").integer("centre"), 16);
    EXPECT_EQ(with("cope").integer("npos_max"), 33);
    EXPECT_EQ(with("learned").integer("max_length"), 32);
    EXPECT_EQ(with("vit").integer("rows"), 6);
    EXPECT_EQ(with("learned_2d").integer("columns"), 6);
    EXPECT_EQ(with("mrope").text("mrope_section"), "4,6,6");  // of the standard head of 32
}

TEST(OpenOptions, AreThoseThatMakeTakes) {
    for (const std::string& kind : EncodingRegistry::instance().names()) {
        EncodingOptions encoding{kind, Options(options_under(EncodingRegistry::instance().at(kind)))};
        const EncodingShape shape{16, 2, 2, 8, 2, 48, Site::self_causal};
        const EncodingOptions open = encoding;
        resolve_options(encoding, shape);
        EncodingOptions twice = encoding;
        twice.options = encoding.options;
        resolve_options(twice, {16, 2, 2, 8, 2, 4096, Site::self_causal});
        EXPECT_EQ(twice.options.values(), encoding.options.values()) << kind;
        ParameterStore a, b;
        make_encoding(open, shape, ParameterScope(a, "encoding"));
        make_encoding(encoding, shape, ParameterScope(b, "encoding"));
        ASSERT_EQ(a.parameters().size(), b.parameters().size()) << kind;
        for (std::size_t i = 0; i < a.parameters().size(); ++i)
            EXPECT_EQ(a.parameters()[i].shape, b.parameters()[i].shape) << kind;
    }
}

// What a mask's keys mean without a window is nothing: they go with it.
TEST(Said, NoWindowIsAWindowOfNought) {
    const std::string arms =
        "mask: {window: 4, dilation: 2, global: 1}\n"
        "vary:\n  arm:\n    - {name: a}\n    - {name: same, from.arm: a}\n    - {name: none, from.arm: a, "
        "mask.window: 0}\n"
        "    - {name: each, from.arm: a, mask.window: [0, 0]}\n    - {name: grandchild, from.arm: none}\n";
    EXPECT_EQ(arm_of(arms, "same").mask.window, 4);
    EXPECT_EQ(arm_of(arms, "same").mask.dilation, 2);
    for (const char* name : {"none", "grandchild"}) {
        EXPECT_EQ(arm_of(arms, name).mask.window, 0) << name;
        EXPECT_EQ(arm_of(arms, name).mask.dilation, 1) << name;
        EXPECT_EQ(arm_of(arms, name).mask.global, 0) << name;
    }
    EXPECT_EQ(arm_of(arms, "each").mask.window, (PerLayer{0, 0}));
}

TEST(NotSaid, PositionsAreTheAncestors) {
    const std::string arms =
        "evaluate.lengths: [32, 64]\nvary:\n  arm:\n"
        "    - {name: random, data.positions: randomized, data.max_position: 99}\n    - {name: after, "
        "from.arm: random}\n"
        "    - {name: plain, from.arm: random, data.positions: consecutive}\n"
        "    - {name: wider, from.arm: random, data.max_position: 128}\n"
        "    - {name: pose, data.positions: pose, data.chunks: 3}\n    - {name: on, from.arm: pose}\n"
        "    - {name: other, from.arm: pose, data.positions: randomized}\n";
    EXPECT_EQ(arm_of(arms, "after").data.positions, (PositionOptions{PositionKind::randomized, 99, 2}));
    EXPECT_EQ(arm_of(arms, "plain").data.positions.kind, PositionKind::consecutive);
    EXPECT_EQ(arm_of(arms, "wider").data.positions, (PositionOptions{PositionKind::randomized, 128, 2}));
    EXPECT_EQ(arm_of(arms, "on").data.positions, (PositionOptions{PositionKind::pose, 64, 3}));
    EXPECT_EQ(arm_of(arms, "other").data.positions, (PositionOptions{PositionKind::randomized, 2048, 2}));
}

TEST(Said, StandsAndIsRefusedWhereShapesDiffer) {
    const std::string arms =
        "vary:\n  arm:\n"
        "    - {name: base, encoding: {kind: KIND}, train.length: 16}\n"
        "    - {name: child, from.arm: base, train.steps: 0, encoding.OPTION: 64}\n";
    for (const auto& [kind, option] : {std::pair{"learned", "max_length"}, std::pair{"cope", "npos_max"}}) {
        std::string text = small_text + arms;
        text.replace(text.find("KIND"), 4, kind);
        text.replace(text.find("OPTION"), 6, option);
        const auto cells = cells_from(text);
        ASSERT_EQ(cells.size(), 2u);
        EXPECT_EQ(options_in(cells[1].recipe).integer(option), 64);
        const std::string message = refusal([&] { check_beginning(cells[1]); }, Failure::storage);
        EXPECT_NE(message.find("from.arm: base"), std::string::npos) << message;
        EXPECT_NE(message.find("encoding."), std::string::npos) << message;
        EXPECT_NE(message.find("64"), std::string::npos) << message;
        check_beginning(cells[0]);
    }
}

TEST(Said, OneKeyOfAnEncodingThatOnlyTheAncestorNames) {
    const CheckpointPath path;
    const Settings settings = small("t5");
    const Cell ancestor = cell_from(settings);
    const auto model = make_model(ancestor.recipe);
    disturb(*model);
    save_as(path, ancestor.recipe, *model);
    Settings child = child_of(path);
    child["encoding.logits"] = "unscaled";
    const Recipe recipe = cell_from(child).recipe;
    EXPECT_EQ(recipe.encoding.kind, "t5");
    EXPECT_EQ(options_in(recipe).text("logits"), "unscaled");
    child["encoding.base"] = "500";
    EXPECT_NE(refusal([&] { cell_from(child); }, Failure::usage).find("'t5'"), std::string::npos);
}

TEST(Said, OneKeyOfAMaskKeepsTheOthers) {
    const std::string arms =
        "vary:\n  arm:\n"
        "    - {name: base, mask: {window: 8, global: 2, dilation: 2}}\n"
        "    - {name: dotted, from.arm: base, mask.window: 4}\n"
        "    - {name: block, from.arm: base, mask: {window: 4}}\n";
    for (const char* name : {"dotted", "block"}) {
        const MaskOptions mask = arm_of(arms, name).mask;
        EXPECT_EQ(mask.window, PerLayer(4)) << name;
        EXPECT_EQ(mask.global, 2) << name;
        EXPECT_EQ(mask.dilation, PerLayer(2)) << name;
    }
}

// What a recipe says to all arms was said to the ancestor, too, which then said otherwise.
TEST(Unsaid, IsTheArmsAndNotTheRecipes) {
    const std::string arms =
        "encoding: {kind: rope, base: 500}\n"
        "mask: {window: 8}\n"
        "vary:\n  arm:\n"
        "    - {name: t5, encoding: {kind: t5, logits: unscaled}, mask: {window: 4, global: 1}}\n"
        "    - {name: child, from.arm: t5, train.steps: 0}\n"
        "    - {name: rope, encoding: {kind: rope}}\n"
        "    - {name: rope-child, from.arm: rope, train.steps: 0}\n"
        "    - {name: rope-too, from.arm: rope, encoding: {kind: rope, base: 700}}\n"
        "    - {name: other, from.arm: t5, encoding: {kind: alibi}}\n";
    EXPECT_EQ(arm_of(arms, "child").encoding.kind, "t5");
    EXPECT_EQ(options_in(arm_of(arms, "child")).text("logits"), "unscaled");
    EXPECT_EQ(arm_of(arms, "child").mask.window, PerLayer(4));
    EXPECT_EQ(arm_of(arms, "child").mask.global, 1);
    EXPECT_EQ(options_in(arm_of(arms, "rope-child")).number("base"), 10000);
    EXPECT_EQ(options_in(arm_of(arms, "rope-too")).number("base"), 700);
    EXPECT_EQ(arm_of(arms, "other").encoding.kind, "alibi");
}

TEST(Unsaid, OfTheSameRuleIsTheAncestors) {
    const std::string arms =
        "encoding: {kind: rope}\n"
        "vary:\n  arm:\n"
        "    - {name: base, encoding.scaling: {type: yarn, target_length: 64, beta_fast: 8}}\n"
        "    - {name: again, from.arm: base, encoding.scaling: {type: yarn, factor: 8}}\n"
        "    - {name: dotted, from.arm: base, encoding.scaling.factor: 8}\n"
        "    - {name: to, from.arm: base, encoding.scaling.target_length: 128}\n"
        "    - {name: other, from.arm: base, encoding.scaling: {type: linear, factor: 4}}\n"
        "    - {name: none, from.arm: base, encoding.scaling.type: default}\n";
    for (const char* name : {"again", "dotted"}) {
        const Options options = options_in(arm_of(arms, name));
        EXPECT_EQ(options.number("scaling.factor"), 8) << name;
        EXPECT_EQ(options.integer("scaling.target_length"), 0) << name;
        EXPECT_EQ(options.number("scaling.beta_fast"), 8) << name;
        EXPECT_EQ(options.integer("scaling.original_length"), 32) << name;
    }
    EXPECT_EQ(options_in(arm_of(arms, "to")).number("scaling.factor"), 4);
    EXPECT_EQ(options_in(arm_of(arms, "other")).text("scaling.type"), "linear");
    EXPECT_EQ(options_in(arm_of(arms, "none")).text("scaling.type"), "plain");
}

TEST(Unsaid, TrainLengthIsTheAncestors) {
    const std::string arms =
        "vary:\n  arm:\n"
        "    - {name: base, train.length: 16}\n"
        "    - {name: child, from.arm: base, train.steps: 0}\n";
    const auto cells = cells_from("train: {batch_tokens: 128, steps: 1}\n" + arms);
    EXPECT_EQ(cells[1].recipe.train.length, 16);
    EXPECT_EQ(arm_of(arms, "child").train.length, 32);  // said to all arms
}

// A resolved recipe needs nothing of its ancestor any more.
TEST(Unsaid, IsInTheResolvedRecipe) {
    const CheckpointPath path;
    Settings settings = small("fire");
    settings["mask.window"] = "5";
    settings["mask.global"] = "2";
    const Cell ancestor = cell_from(settings);
    save_as(path, ancestor.recipe, *make_model(ancestor.recipe));
    const std::string text = write_recipe(cell_from(child_of(path)).recipe, recipe_schema());
    std::filesystem::remove(path);
    const Recipe recipe = cells_from(text).front().recipe;
    EXPECT_EQ(options_in(recipe).number("init_L"), 8);
    EXPECT_EQ(recipe.mask.global, 2);
    EXPECT_EQ(write_recipe(recipe, recipe_schema()), text);
}

// Two kinds of encoding may call a parameter alike.
TEST(Unsaid, AnotherKindTakesNothing) {
    const CheckpointPath path;
    Settings settings = small("learned");
    const Cell ancestor = cell_from(settings);
    save_as(path, ancestor.recipe, *make_model(ancestor.recipe));
    Settings child = child_of(path, "16");
    child["encoding"] = "{kind: cope, shared: true}";
    const Cell cell = cell_from(child);
    check_beginning(cell);
    const auto model = make_model(cell.recipe);
    const Beginning beginning = begin_from(cell, std::filesystem::path(path).parent_path() / "child", *model);
    EXPECT_EQ(beginning.origin.drawn, std::vector<std::string>{"encoding.table"});
    EXPECT_EQ(beginning.origin.left, std::vector<std::string>{"encoding.table"});
}

}  // namespace
}  // namespace locus::test
