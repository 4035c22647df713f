#include "data/split.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "data/sources.h"
#include "data/split_report.h"
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
    EXPECT_EQ(splits.train.documents[0].tokens.data(), corpus.tokens.view().data());
    EXPECT_EQ(splits.test.documents[0].tokens.data(), corpus.tokens.view().data() + 700);
    EXPECT_EQ(splits.valid.documents[0].tokens.data(), corpus.tokens.view().data() + 900);
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

TEST(Split, AFileOfJsonLinesIsANameForItsDocuments) {
    CorpusBuilder builder("made", "byte");
    for (const char* name : {"a.jsonl:1", "a.jsonl:2", "b.jsonl:1", "b:x"})
        builder.add(name, name, "text", name);
    const Corpus corpus = builder.finish();
    EXPECT_EQ(indices(split(corpus, named({"a.jsonl"}, {"b.jsonl:1"})).valid), (Indices{0, 1}));
    expect_error([&] { split(corpus, named({"b"}, {})); }, Failure::usage, {"'b'"});
}

TEST(Split, ManyNamesOfManyDocumentsTakeNoLongerThanReadingThem) {
    CorpusBuilder builder("made", "byte");
    std::vector<std::string> names;
    for (int i = 0; i < 200'000; ++i) {
        names.push_back("document " + std::to_string(i));
        builder.add(names.back(), names.back(), "x", names.back());
    }
    const Corpus corpus = builder.finish();
    names.resize(100'000);
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(split(corpus, named(names, {})).valid.documents.size(), 100'000u);
    // Every name against every document would be 2e10 comparisons of texts.
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(Split, ReportsWhatIsReallyHeldOut) {
    const Corpus corpus = corpus_of({975, 25}, {"A", "B"});
    const DataOptions options = fractions(0.2, {});
    const Splits splits = split(corpus, options);
    const auto lines = describe(splits, options);
    EXPECT_EQ(lines, (std::vector<std::string>{
                         "trains on 1 document, 975 tokens, 97.5 % of all: A",
                         "validates on 1 document, 25 tokens, 2.5 % of all (20 % asked for): B",
                         "tests on nothing"}));
    const nlohmann::json found = record(splits);
    EXPECT_EQ(found["valid"]["share"], 0.025);
    EXPECT_EQ(found["valid"]["names"], nlohmann::json({"B"}));
    // Of a book that is torn apart, the documents are named.
    const Corpus torn = corpus_of({10, 20, 30}, {"A", "A", "B"});
    EXPECT_EQ(record(split(torn, named({"document 1"}, {})))["valid"]["names"],
              nlohmann::json({"document 1"}));
    EXPECT_NE(found["hash"], record(split(corpus, named({"A"}, {})))["hash"]);
}

TEST(Split, WarnsWhereHeldOutTextIsTrainedOn) {
    std::string book;
    for (int line = 0; line < 100; ++line)
        book += "This is line " + std::to_string(line) + " of the book at hand.\n";
    CorpusBuilder builder("made", "byte");
    builder.add("2600-0.txt", "2600-0.txt", book, "");
    builder.add("pg2600.txt", "pg2600.txt", "Another edition.\n" + book.substr(book.size() / 5), "");
    const Corpus corpus = builder.finish();
    const auto lines = describe_overlap(split(corpus, {}));
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_NE(lines[0].find("validates on text of which 99 % of the lines are trained on"), std::string::npos)
        << lines[0];
    CorpusBuilder other("made", "byte");
    other.add("a", "a", book.substr(0, book.size() / 2), "");
    other.add("b", "b", book.substr(book.size() / 2), "");
    EXPECT_TRUE(describe_overlap(split(other.finish(), {})).empty());
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
