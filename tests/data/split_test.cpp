#include "data/split.h"

#include "data/sources.h"
#include "tests/data/support.h"

namespace locus {
namespace {

using test::corpus_of;
using test::expect_error;
using Indices = std::vector<Index>;

Indices indices(const Split& split) {
    Indices found;
    for (const SplitDocument& document : split.documents) found.push_back(document.index);
    return found;
}

DataOptions fractions(std::optional<double> valid, std::optional<double> test) {
    DataOptions options;
    options.valid_fraction = valid;
    options.test_fraction = test;
    return options;
}

DataOptions named(std::vector<std::string> valid, std::vector<std::string> test) {
    DataOptions options;
    options.valid = std::move(valid);
    options.test = std::move(test);
    return options;
}

TEST(Split, OneDocumentIsCutByTokensWithTheTailToValidation) {
    const Corpus corpus = corpus_of({1000});
    const Splits splits = split(corpus, fractions(0.1, 0.2));
    EXPECT_TRUE(splits.contiguous);
    EXPECT_EQ(splits.train.tokens(), 700);
    EXPECT_EQ(splits.test.tokens(), 200);
    EXPECT_EQ(splits.valid.tokens(), 100);
    EXPECT_EQ(splits.train.documents[0].tokens.data(), corpus.tokens.data());
    EXPECT_EQ(splits.test.documents[0].tokens.data(), corpus.tokens.data() + 700);
    EXPECT_EQ(splits.valid.documents[0].tokens.data(), corpus.tokens.data() + 900);
    const Splits standard = split(corpus, {});
    EXPECT_EQ(standard.valid.tokens(), 100);
    EXPECT_TRUE(standard.test.documents.empty());
}

TEST(Split, SeveralBooksStayWhole) {
    const Corpus corpus = corpus_of({100, 100, 500, 100, 40, 60}, {"A", "A", "B", "C", "D", "D"});
    const Splits splits = split(corpus, fractions(0.25, 0.1));
    EXPECT_FALSE(splits.contiguous);
    EXPECT_EQ(indices(splits.valid),
              (Indices{3, 4, 5}));  // D has 100 of 900 tokens, C and D 200, B would be too much
    EXPECT_EQ(indices(splits.test), (Indices{2}));  // at least one, although it is more than a tenth
    EXPECT_EQ(indices(splits.train), (Indices{0, 1}));
}

TEST(Split, OneBookIsCutBetweenDocuments) {
    const Corpus corpus = corpus_of({100, 100, 100, 100, 100}, {"A", "A", "A", "A", "A"});
    const Splits splits = split(corpus, fractions(0.4, {}));
    EXPECT_EQ(indices(splits.valid), (Indices{3, 4}));
    EXPECT_EQ(indices(splits.train), (Indices{0, 1, 2}));
    EXPECT_EQ(splits.valid.documents[0].tokens.front(), 300 % 251);
}

TEST(Split, ScatteredBooksStayTogether) {
    const Corpus corpus = corpus_of({10, 10, 10, 10}, {"A", "B", "A", "B"});
    EXPECT_EQ(indices(split(corpus, fractions(0.5, {})).valid), (Indices{1, 3}));
}

TEST(Split, NamesOfBooksAndDocuments) {
    const Corpus corpus = corpus_of({10, 20, 30, 40}, {"A", "A", "B", "C"});
    const Splits splits = split(corpus, named({"A"}, {"document 2"}));
    EXPECT_EQ(indices(splits.valid), (Indices{0, 1}));
    EXPECT_EQ(indices(splits.test), (Indices{2}));
    EXPECT_EQ(indices(splits.train), (Indices{3}));
    DataOptions mixed = named({"C"}, {});
    mixed.test_fraction = 0.1;
    EXPECT_EQ(indices(split(corpus, mixed).test), (Indices{2}));  // the last that validation leaves
}

TEST(Split, TheCorpusOwnSplitHoldsUnlessTheOptionsSpeak) {
    Corpus corpus = corpus_of({10, 20, 30}, {"A", "B", "C"});
    corpus.valid = {"A"};
    corpus.test = {"B"};
    EXPECT_EQ(indices(split(corpus, {}).valid), (Indices{0}));
    EXPECT_EQ(indices(split(corpus, {}).test), (Indices{1}));
    EXPECT_EQ(indices(split(corpus, named({"C"}, {})).valid), (Indices{2}));
    EXPECT_TRUE(split(corpus, fractions({}, 0.0)).test.documents.empty());
    expect_error([&] { split(corpus, named({"B"}, {})); }, Failure::usage, {"B", "validation already"});
}

TEST(Split, EveryDocumentIsInExactlyOneSplit) {
    DataOptions options = fractions(0.1, 0.2);
    options.documents = 20;
    options.document_length = 64;
    const Corpus corpus = load_corpus(options);
    const Splits splits = split(corpus, options);
    EXPECT_EQ(splits.train.documents.size(), 14u);
    EXPECT_EQ(splits.valid.documents.size(), 2u);
    EXPECT_EQ(splits.test.documents.size(), 4u);
    std::vector<int> seen(20);
    for (const Split* part : {&splits.train, &splits.valid, &splits.test}) {
        for (const Index i : indices(*part)) ++seen[static_cast<std::size_t>(i)];
    }
    EXPECT_EQ(seen, std::vector<int>(20, 1));
}

TEST(Split, RefusesWhatCannotBe) {
    const Corpus corpus = corpus_of({10, 20}, {"A", "B"});
    expect_error([&] { split(corpus, named({"Emma"}, {})); }, Failure::usage, {"Emma", "A, B", "data.valid"});
    expect_error([&] { split(corpus, named({"A"}, {"A"})); }, Failure::usage, {"A", "already"});
    expect_error([&] { split(corpus, named({"A", "B"}, {})); }, Failure::usage, {"nothing is left"});
    expect_error([&] { split(corpus, fractions(1.0, {})); }, Failure::usage, {"[0, 1)"});
    expect_error([&] { split(corpus, fractions(-0.1, {})); }, Failure::usage, {"[0, 1)"});
    expect_error([&] { split(corpus, fractions(0.5, 0.5)); }, Failure::usage, {"nothing is left"});
    DataOptions both = named({"A"}, {});
    both.valid_fraction = 0.1;
    expect_error([&] { split(corpus, both); }, Failure::usage, {"not both"});
}

}  // namespace
}  // namespace locus
