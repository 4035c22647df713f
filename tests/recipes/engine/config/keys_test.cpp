// Files as they come from editors; repeated, unknown and misplaced keys.
#include <filesystem>
#include <fstream>

#include "recipes/engine/config/nearest.h"
#include "tests/recipes/engine/config/support.h"

namespace locus {
namespace {

TEST(Files, LineEndsAndByteOrderMark) {
    const std::string text = "question: q\ntrain:\n  lr: 2e-3\n  seed: 7\n";
    std::string crlf;
    for (const char c : text) crlf += c == '\n' ? "\r\n" : std::string(1, c);
    for (const std::string& written : {text, crlf, "\xEF\xBB\xBF" + text, "\xEF\xBB\xBF" + crlf}) {
        const Recipe recipe = one(written);
        EXPECT_EQ(recipe.train.lr, 2e-3);
        EXPECT_EQ(recipe.train.seed, 7u);
        EXPECT_EQ(recipe.question, "q");
    }
    EXPECT_TRUE(holds(refusal("question: q\r\ntrain:\r\n  lr: x\r\n"), {"x.yaml:3: train.lr"}));
}

TEST(Files, TabsAndControlCharactersAreRefusedWithTheirLine) {
    EXPECT_TRUE(holds(refusal("train:\n\tlr: 1e-3\n"), {"x.yaml:2: ", "tab"}));
    EXPECT_TRUE(holds(refusal("train:\n  \tlr: 1e-3\n"), {"x.yaml:2: ", "tab"}));
    EXPECT_TRUE(holds(refusal(std::string("train:\n  lr: 1\n\x04\nquestion: q")), {"x.yaml:3: ", "0x04"}));
    EXPECT_EQ(one("train:\n  lr: 1\t# note\nquestion: q\n\t\n").question, "q");
}

TEST(Files, OtherBytesThanTextInUtf8AreRefusedWithTheirLine) {
    const std::vector<std::pair<std::string, std::string>> unsound = {
        {"caf\xE9", "0xe9"},           // Latin-1
        {"\xC3", "0xc3"},              // cut off
        {"\xC0\xAF", "0xc0"},          // overlong
        {"\xED\xA0\x80", "0xed"},      // half of a pair
        {"\xF4\x90\x80\x80", "0xf4"},  // beyond Unicode
        {"\x1B[31m", "0x1b"},          // escapes of a terminal
        {"\x7F", "0x7f"},
        {"\xC2\x9B", "U+009B"},
    };
    for (const auto& [text, says] : unsound) {
        EXPECT_TRUE(holds(refusal("train: {seed: 1}\nquestion: " + text + "\n"), {"x.yaml:2: ", says}));
        EXPECT_TRUE(holds(refusal("train: {seed: 1}\n# " + text + "\n"), {"x.yaml:2: ", says}));
        EXPECT_TRUE(holds(refusal("train: {seed: 1}", {"question=" + text}), {"command line", says}));
    }
    EXPECT_TRUE(holds(refusal("train: {seed: 1}\nquestion: \"\\e[31m\"\n"), {"x.yaml:2: ", "0x1b"}));
    for (const std::string text : {"caf\xC3\xA9", "\xE2\x80\xA8", "\xF0\x9F\x99\x82", "a\tb"})
        EXPECT_EQ(one("question: \"" + text + "\"\n").question, text);
}

TEST(Files, SyntaxErrorsNameTheLine) {
    EXPECT_TRUE(holds(refusal("train:\n  lr: {1\n"), {"x.yaml:"}));
    EXPECT_TRUE(holds(refusal("train: {lr: 1}\n  seed: 2\n"), {"x.yaml:2: "}));
    for (const std::string text :
         {"question: \"open\n", "question: 'open\n\n", "question: \"open\ntrain: {lr: 1}\n"})
        EXPECT_TRUE(holds(refusal(text), {"x.yaml:"})) << text;
    EXPECT_TRUE(holds(refusal("a: &x 1\nb: *x\n"), {"x.yaml:2: ", "aliases"}));
    EXPECT_TRUE(holds(refusal("question: a\n---\nquestion: b\n"), {"x.yaml:", "second"}));
    EXPECT_TRUE(holds(refusal("? [a, b]\n: 1\n"), {"x.yaml:1: ", "key"}));
    EXPECT_TRUE(holds(refusal("train: {~: 1}\n"), {"x.yaml:1: ", "key"}));
    for (const std::string text : {"", "\n\n", "# only a note\n", "---\n", "~\n"})
        EXPECT_TRUE(holds(refusal(text), {"x.yaml:1: ", "empty"})) << text;
}

class RecipeFiles : public ::testing::Test {
  protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() /
                  ("locus_recipes_" + std::to_string(reinterpret_cast<std::uintptr_t>(this)) + "_" +
                   ::testing::UnitTest::GetInstance()->current_test_info()->name());
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name, std::ios::binary) << text;
        return (folder_ / name).string();
    }
    static std::string failure(const std::string& path) {
        try {
            read_recipe(path);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Failure::usage);
            return error.what();
        }
        ADD_FAILURE() << "accepted: " << path;
        return {};
    }
    std::filesystem::path folder_;
};

TEST_F(RecipeFiles, AreReadOrRefusedByName) {
    const std::string good = write("good.yaml", "train: {seed: 3}\n");
    const auto cells = expand(read_recipe(good), {}, test_schema());
    ASSERT_EQ(cells.size(), 1u);
    EXPECT_EQ(cells[0].name, "good");
    EXPECT_EQ(cells[0].recipe.train.seed, 3u);
    EXPECT_TRUE(holds(failure((folder_ / "none.yaml").string()), {"none.yaml: cannot be read"}));
    EXPECT_TRUE(holds(failure(folder_.string()), {folder_.string() + ": ", "folder"}));
    EXPECT_TRUE(holds(failure(write("empty.yaml", "")), {"empty.yaml:1: ", "empty"}));
    EXPECT_TRUE(holds(failure(write("text.yaml", "\njust text\n")), {"text.yaml:2: ", "'just text'"}));
    EXPECT_TRUE(holds(failure(write("list.yaml", "- a\n")), {"list.yaml:1: ", "a list of 1"}));
}

TEST(RepeatedKeys, AreRefusedWithBothLines) {
    EXPECT_TRUE(
        holds(refusal("question: a\ntrain: {lr: 1}\nquestion: b\n"), {"x.yaml:3: ", "'question'", "line 1"}));
    EXPECT_TRUE(holds(refusal("train:\n  lr: 1\n  seed: 0\n  lr: 1\n"), {"x.yaml:4: ", "'lr'", "line 2"}));
    EXPECT_TRUE(holds(refusal("train: {lr: 1, lr: 1}\n"), {"x.yaml:1: ", "'lr'", "line 1"}));
    EXPECT_TRUE(
        holds(refusal("train: {lr: 1}\nmodel: {}\ntrain: {seed: 1}\n"), {"x.yaml:3: ", "'train'", "line 1"}));
    EXPECT_TRUE(
        holds(refusal("train:\n  lr: 1\ntrain.lr: 1\n"), {"x.yaml:3: train.lr ", "twice", "x.yaml:2"}));
    EXPECT_TRUE(
        holds(refusal("train.lr: 1\ntrain:\n  lr: 1\n"), {"x.yaml:3: train.lr ", "twice", "x.yaml:1"}));
    EXPECT_TRUE(holds(refusal("vary:\n  train.seed: [0]\n  train.seed: [1]\n"), {"x.yaml:3: ", "line 2"}));
    EXPECT_TRUE(holds(refusal("vary:\n  arm:\n    - {name: a, model: {width: 64}, model.width: 64}\n"),
                      {"x.yaml:3: model.width", "twice"}));
    EXPECT_TRUE(
        holds(refusal("model: {}", {"train.lr=1", "train.lr=2"}), {"train.lr=2", "twice", "train.lr=1"}));
    EXPECT_TRUE(holds(refusal("model: {}", {"train.lr=1", "train={lr: 2}"}), {"train.lr", "twice"}));
}

TEST(TwoSpellings, AreRefusedTogetherAndReplaceEachOtherAcrossLayers) {
    EXPECT_TRUE(holds(refusal("train:\n  tokens: 4e6\n  steps: 10\n"),
                      {"x.yaml:3: ", "steps", "tokens", "x.yaml:2"}));
    EXPECT_TRUE(holds(refusal("train:\n  warmup_steps: 3\n  warmup: 0.1\n"), {"x.yaml:3: ", "warmup_steps"}));
    EXPECT_TRUE(
        holds(refusal("model: {}", {"train.steps=3", "train.tokens=8192"}), {"train.steps", "train.tokens"}));
    EXPECT_EQ(one("train: {tokens: 4e6}", {"train.steps=10"}).train.steps(), 10);
    EXPECT_EQ(one("train: {steps: 10}", {"train.tokens=16384"}).train.steps(), 2);
    EXPECT_EQ(one("train: {steps: 10, warmup: 0.5}", {"train.warmup_steps=1"}).train.warmup_steps, 1);
}

TEST(UnknownKeys, NameTheLineAndTheNearestKey) {
    EXPECT_TRUE(holds(refusal("question: q\ntrain:\n  lerning_rate: 1e-3\n"),
                      {"x.yaml:3: unknown key 'train.lerning_rate'", "'train.lr'"}));
    EXPECT_TRUE(
        holds(refusal("lerning_rate: 1e-3\n"), {"x.yaml:1: unknown key 'lerning_rate'", "'train.lr'"}));
    EXPECT_TRUE(holds(refusal("train: {sede: 1}"), {"'train.sede'", "'train.seed'"}));
    EXPECT_TRUE(holds(refusal("model: {layer: 1}"), {"'model.layers'"}));
    EXPECT_TRUE(holds(refusal("model: {d_model: 1}"), {"'model.width'"}));
    EXPECT_TRUE(holds(refusal("trian: {lr: 1}"), {"unknown key 'trian'", "'train'"}));
    EXPECT_TRUE(holds(refusal("trian.lr: 1"), {"unknown key 'trian.lr'", "'lr' belongs in 'train'"}));
    EXPECT_TRUE(holds(refusal("encoding: {kind: rope, bse: 1}"), {"'encoding.bse'", "'encoding.base'"}));
    EXPECT_TRUE(holds(refusal("encoding: {scaling: {type: yarn}}"), {"unknown key 'encoding.scaling'"}));
    EXPECT_TRUE(holds(refusal("from: {recipe: a.yaml}"), {"unknown key 'from.recipe'"}));
    EXPECT_TRUE(holds(refusal("model: {vocabulary: 300}"), {"unknown key 'model.vocabulary'"}));
    EXPECT_TRUE(holds(refusal("vary: {arm: [{name: a, train: {sede: 1}}]}"), {"x.yaml:1: ", "'train.seed'"}));
    EXPECT_TRUE(holds(refusal("vary:\n  train.sede: [1]"), {"x.yaml:2: ", "'train.seed'"}));
    EXPECT_TRUE(holds(refusal("model: {}", {"train.lerning_rate=1"}),
                      {"command line: train.lerning_rate=1: ", "'train.lr'"}));
}

TEST(MisplacedKeys, NameTheirSection) {
    EXPECT_TRUE(
        holds(refusal("model:\n  lr: 1e-3\n"), {"x.yaml:2: ", "'model.lr'", "'lr' belongs in 'train'"}));
    EXPECT_TRUE(holds(refusal("lr: 1e-3\n"), {"x.yaml:1: ", "'lr' belongs in 'train'"}));
    EXPECT_TRUE(holds(refusal("train: {heads: 4}"), {"'heads' belongs in 'model'"}));
    EXPECT_TRUE(holds(refusal("model: {base: 4}"), {"'base' belongs in 'encoding'"}));
    EXPECT_TRUE(holds(refusal("vary: {seed: [1, 2]}"), {"'seed' belongs in 'train'"}));
    EXPECT_TRUE(
        holds(refusal("model: {}", {"seed=1"}), {"command line: seed=1: ", "'seed' belongs in 'train'"}));
}

TEST(EncodingKeys, BelongToTheirKind) {
    const Recipe rope = one("encoding: {kind: rope, base: 500, pairing: interleaved}");
    EXPECT_EQ(rope.encoding.options.number("base"), 500);
    EXPECT_EQ(rope.encoding.options.number("fraction"), 1);
    EXPECT_EQ(rope.encoding.options.text("pairing"), "interleaved");
    EXPECT_TRUE(holds(refusal("encoding:\n  kind: alibi\n  base: 500\n"),
                      {"x.yaml:3: encoding.base", "'alibi'", "kind, trainable, offset", "rope"}));
    EXPECT_TRUE(holds(refusal("encoding: {kind: rope, base: 5}", {"encoding.kind=alibi"}),
                      {"encoding.base", "'alibi'"}));
    EXPECT_EQ(one("encoding: {kind: rope, base: 5}", {"encoding={kind: alibi}"}).encoding.kind, "alibi");
    EXPECT_TRUE(
        holds(refusal("encoding: {kind: rope, fraction: 1.5}"), {"encoding.fraction", "[0, 1]", "'1.5'"}));
    EXPECT_TRUE(holds(refusal("encoding: {kind: rope, pairing: odd}"), {"half, interleaved", "'odd'"}));
    EXPECT_TRUE(holds(refusal("encoding: {kind: learned, max_length: 1.5}"), {"an integer >= 1", "'1.5'"}));
    EXPECT_EQ(one("encoding: {kind: learned}").encoding.options.integer("max_length"), 0);
    EXPECT_EQ(one("encoding: {kind: alibi}", {"encoding.offset=-0.5"}).encoding.options.number("offset"),
              -0.5);
}

TEST(Shapes, ASectionIsAMap) {
    EXPECT_TRUE(holds(refusal("train: 5"), {"x.yaml:1: train: expected a map of keys, found '5'"}));
    EXPECT_TRUE(
        holds(refusal("train:\nmodel: {}"), {"x.yaml:1: train: expected a map of keys, found nothing"}));
    EXPECT_TRUE(holds(refusal("train: [1]"), {"a list of 1"}));
    EXPECT_TRUE(holds(refusal("evaluate: {lengths: 128}"), {"evaluate.lengths: expected a list", "'128'"}));
    EXPECT_TRUE(holds(refusal("question: [a]"), {"question: expected a text"}));
    EXPECT_TRUE(holds(refusal("data: {corpus: \"a\\nb\"}"), {"data.corpus: expected a text of one line"}));
}

TEST(EditDistance, CountsSwapsAsOne) {
    EXPECT_EQ(edit_distance("", "abc"), 3u);
    EXPECT_EQ(edit_distance("seed", "sede"), 1u);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

}  // namespace
}  // namespace locus
