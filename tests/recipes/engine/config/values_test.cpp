// Every spelling of a number, an integer and a flag, in any locale.
#include <clocale>

#include "tests/recipes/engine/config/support.h"

namespace locus {
namespace {

struct Spelling {
    std::string written;
    double value;
};

const std::vector<Spelling> numbers = {
    {"1e-4", 0.0001},        {"1E-4", 0.0001},   {"1.e-4", 0.0001}, {".0001", 0.0001},
    {"1e-4 # note", 0.0001}, {"0.0001", 0.0001}, {"+1e-4", 0.0001}, {"1e-4\t# note", 0.0001},
    {"'1e-4'", 0.0001},      {"+5", 5},          {"5", 5},          {"5.", 5},
    {"1e+2", 100},           {"010", 10},        {"4e6", 4e6},
};

const std::vector<std::string> no_numbers = {
    "0,0001", "1e-4x", "nan",    "NaN", ".nan", "inf",  ".inf",  "-inf",  "1e400", "-1e400", "1e-400",
    "0x10",   "1_000", "1 000",  "1e",  "e5",   "+-5",  "++5",   "--5",   ".",     "1.2.3",  "true",
    "''",     "[1]",   "{a: 1}", "",    "~",    "null", "1e4.0", "1,000", "0-1",
};

void expect_spellings() {
    for (const Spelling& spelling : numbers)
        EXPECT_EQ(one("train:\n  lr: " + spelling.written + "\n  min_lr: 0\n").train.lr, spelling.value)
            << spelling.written;
    for (const std::string& written : no_numbers)
        EXPECT_TRUE(holds(refusal("question: q\ntrain:\n  lr: " + written + "\n"),
                          {"x.yaml:3: train.lr: expected a number > 0, found "}))
            << written;
}

TEST(Numbers, EverySpellingIsReadOrRefused) {
    expect_spellings();
}

TEST(Numbers, TheLocaleChangesNothing) {
    const std::string before = std::setlocale(LC_ALL, nullptr);
    const char* found = nullptr;
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "de_DE"})
        if (found == nullptr) found = std::setlocale(LC_ALL, name);
    if (found == nullptr) GTEST_SKIP() << "not run: the locale de_DE is not installed";
    EXPECT_STREQ(std::localeconv()->decimal_point, ",");
    expect_spellings();
    EXPECT_TRUE(holds(write_recipe(one("train: {lr: 0.0025}"), test_schema()), {"  lr: 0.0025\n"}));
    std::setlocale(LC_ALL, before.c_str());
}

TEST(Numbers, ACommaInABracedMapIsRefused) {
    EXPECT_TRUE(holds(refusal("train: {lr: 0,0001}"), {"x.yaml:1: unknown key 'train.0001'", "'train.lr'"}));
    EXPECT_TRUE(holds(refusal("train: {weight_decay: 0,01}"), {"x.yaml:1: unknown key 'train.01'"}));
}

TEST(Numbers, AMessageNamesWhatWasFound) {
    EXPECT_TRUE(
        holds(refusal("train: {lr: 1e-4x}"), {"x.yaml:1: train.lr: expected a number > 0, found '1e-4x'"}));
    EXPECT_TRUE(holds(refusal("model: {dropout: 1}"),
                      {"x.yaml:1: model.dropout: expected a number in [0, 1), found '1'"}));
    EXPECT_TRUE(holds(refusal("model: {dropout: -0.1}"), {"[0, 1), found '-0.1'"}));
    EXPECT_TRUE(holds(refusal("train:\n  lr: [1, 2]"), {"x.yaml:2: train.lr: ", "found a list of 2"}));
    EXPECT_TRUE(holds(refusal("train:\n  lr: {a: 2}"), {"x.yaml:2: train.lr: ", "found a map of keys"}));
    EXPECT_TRUE(holds(refusal("train:\n  lr:\n  seed: 1"), {"x.yaml:2: train.lr: ", "found nothing"}));
}

TEST(Integers, WholeNumbersOnly) {
    const std::vector<std::pair<std::string, Index>> good = {
        {"64", 64}, {"+64", 64}, {"64.0", 64}, {"6.4e1", 64}, {"64e0", 64}, {"0.64e2", 64}, {"640e-1", 64}};
    for (const auto& [written, value] : good)
        EXPECT_EQ(one("train: {length: " + written + "}").train.length, value) << written;
    EXPECT_EQ(one("train: {tokens: 4e6, batch_tokens: 8000, length: 100}").train.tokens, 4'000'000);
    for (const std::string written : {"1.5", "-1", "0", "1_000", "nan", "inf", "1e400", "64x", "0x40", "true",
                                      "''", "", "[64]", "1e18", "6.4e0"})
        EXPECT_TRUE(holds(refusal("train:\n  steps: " + written + "\n"),
                          {"x.yaml:2: train.steps: expected an integer ", "found "}))
            << written;
}

TEST(Integers, LargeSeedsStayExact) {
    EXPECT_EQ(one("train: {seed: 9007199254740993}").train.seed, 9007199254740993u);
    EXPECT_EQ(one("train: {seed: 9223372036854775807}").train.seed, 9223372036854775807u);
    EXPECT_TRUE(holds(refusal("train: {seed: 9223372036854775808}"), {"train.seed", "9223372036854775808"}));
    EXPECT_TRUE(
        holds(refusal("train: {seed: 1e17}"), {"train.seed"}));  // not every integer up there is a double
    EXPECT_TRUE(holds(refusal("train: {seed: -1}"), {"train.seed: expected an integer >= 0, found '-1'"}));
}

TEST(Flags, EveryYamlSpellingAndNothingElse) {
    for (const std::string yes : {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"})
        EXPECT_TRUE(one("model: {bias: " + yes + "}").model.bias) << yes;
    for (const std::string no : {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"})
        EXPECT_FALSE(one("model: {tie_embeddings: " + no + "}").model.tie_embeddings) << no;
    for (const std::string written : {"0", "1", "y", "n", "fAlse", "''", "", "none", "[true]", "2"})
        EXPECT_TRUE(holds(refusal("model:\n  bias: " + written),
                          {"x.yaml:2: model.bias: expected true or false, found "}))
            << written;
}

TEST(Choices, AnUnknownOneNamesTheKnown) {
    EXPECT_EQ(one("model: {norm: rms, activation: swiglu}").model.norm, NormKind::rms);
    EXPECT_EQ(one("train: {schedule: linear}").train.schedule, Schedule::linear);
    EXPECT_TRUE(holds(refusal("train: {schedule: cosin}"),
                      {"train.schedule: expected one of constant, linear, cosine, found 'cosin'"}));
    EXPECT_TRUE(
        holds(refusal("train: {precision: fp16}"), {"train.precision", "fp32", "bf16", "found 'fp16'"}));
    EXPECT_TRUE(
        holds(refusal("encoding: {kind: ropee}"), {"encoding.kind: expected one of", "rope", "'ropee'"}));
}

TEST(Text, NumbersReadBackExactly) {
    for (const double number : {0.1, 1e-300, 1e300, 3e-4, 1.0 / 3.0, 4e6, 123456789.123456789, -0.5})
        EXPECT_EQ(number_from(text_of(number)), number);
    EXPECT_EQ(text_of(0.0003), "0.0003");
    EXPECT_EQ(text_of(Index{4000000}), "4000000");
}

}  // namespace
}  // namespace locus
