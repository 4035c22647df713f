#include "data/corpus_file.h"

#include "data/sources.h"
#include "framework/io/hdf5.h"
#include "tests/data/support.h"

namespace locus {
namespace {

using test::bytes_of;
using test::expect_error;

class CorpusFile : public test::FolderTest {
  protected:
    void refuses(const std::filesystem::path& path, const std::vector<std::string>& parts = {}) const {
        std::vector<std::string> all = parts;
        all.push_back(path.filename().string());
        expect_error([&] { read_corpus(path); }, Failure::data, all);
    }
};

void expect_equal(const Corpus& a, const Corpus& b) {
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.tokenizer, b.tokenizer);
    EXPECT_EQ(a.vocabulary, b.vocabulary);
    EXPECT_EQ(a.tokens, b.tokens);
    EXPECT_EQ(a.hash, b.hash);
    EXPECT_EQ(a.valid, b.valid);
    EXPECT_EQ(a.test, b.test);
    ASSERT_EQ(a.documents.size(), b.documents.size());
    for (std::size_t i = 0; i < a.documents.size(); ++i) {
        EXPECT_EQ(a.documents[i].name, b.documents[i].name);
        EXPECT_EQ(a.documents[i].book, b.documents[i].book);
        EXPECT_EQ(a.documents[i].begin, b.documents[i].begin);
        EXPECT_EQ(a.documents[i].end, b.documents[i].end);
    }
}

TEST_F(CorpusFile, RoundTripInEveryWidth) {
    const auto path = folder_ / "c.h5";
    for (const auto& [vocabulary, type] : {std::pair<Index, ElementType>{256, ElementType::uint8},
                                           {1000, ElementType::uint16},
                                           {100'000, ElementType::int32}}) {
        Corpus corpus = test::corpus_of({1000, 1, 300}, {"A", "A", "B"});
        corpus.valid = {"A"};
        std::vector<Token> tokens(corpus.tokens.view().begin(), corpus.tokens.view().end());
        tokens[7] = static_cast<Token>(vocabulary - 1);
        corpus.vocabulary = vocabulary;
        corpus.tokens = TokenStore(vocabulary);
        corpus.tokens.append(tokens);
        corpus.hash = hash_of(corpus);
        write_corpus(corpus, path);
        expect_equal(read_corpus(path), corpus);
        EXPECT_EQ(Hdf5File::open(path, Failure::data).describe("tokens").type, type);
    }
}

TEST_F(CorpusFile, SameCorpusSameBytes) {
    write_corpus(test::corpus_of({100, 200}), folder_ / "a.h5");
    write_corpus(test::corpus_of({100, 200}), folder_ / "b.h5");
    EXPECT_EQ(bytes_of(folder_ / "a.h5"), bytes_of(folder_ / "b.h5"));
}

TEST_F(CorpusFile, CutOffEmptyMissingAndOtherFiles) {
    write_corpus(test::corpus_of({5000, 200}), folder_ / "c.h5");
    const std::string whole = bytes_of(folder_ / "c.h5");
    for (const std::size_t size :
         {whole.size() - 1, whole.size() * 6 / 10, std::size_t{100}, std::size_t{4}}) {
        refuses(put("cut.h5", whole.substr(0, size)));
    }
    refuses(put("empty.h5", ""));
    refuses(put("text.h5", std::string(5000, 'x')), {"HDF5"});
    refuses(folder_ / "missing.h5");
}

TEST_F(CorpusFile, EveryFlippedTokenIsCaught) {
    const Corpus corpus = test::corpus_of({3000});
    write_corpus(corpus, folder_ / "c.h5");
    const std::string whole = bytes_of(folder_ / "c.h5");
    const std::string text = test::text_of(corpus.tokens.view());
    const std::size_t begin = whole.find(text);
    ASSERT_NE(begin, std::string::npos);
    for (const std::size_t place : {begin, begin + 1234, begin + text.size() - 1}) {
        std::string damaged = whole;
        damaged[place] = static_cast<char>(damaged[place] ^ 4);
        refuses(put("flip.h5", damaged), {"checksum"});
    }
}

/// A file that says what `change` makes of a good corpus file.
void write_variant(const std::filesystem::path& path, Index version, const std::string& format,
                   const std::vector<std::int64_t>& offsets, const std::vector<std::uint8_t>& tokens,
                   std::int64_t vocabulary) {
    Corpus corpus;
    corpus.tokenizer = {"byte"};
    corpus.vocabulary = vocabulary;
    corpus.tokens.append(std::vector<Token>(tokens.begin(), tokens.end()));
    corpus.documents = {{"d", "b", 0, static_cast<Index>(tokens.size())}};
    Hdf5File file = Hdf5File::create(path, Failure::data);
    file.set_attribute("/", "format", format);
    file.set_attribute("/", "version", version);
    file.set_attribute("/", "name", std::string("n"));
    file.set_attribute("/", "tokenizer", std::string("byte"));
    file.set_attribute("/", "vocabulary", vocabulary);
    file.set_attribute("/", "hash", hash_of(corpus));
    file.write("tokens", tokens);
    file.write("offsets", offsets);
    file.write_texts("names", {"d"});
    file.write_texts("books", {"b"});
    file.commit();
}

TEST_F(CorpusFile, OtherVersionsFormatsAndTables) {
    const auto path = folder_ / "v.h5";
    write_variant(path, 2, "locus corpus", {0, 3}, {1, 2, 3}, 256);
    EXPECT_EQ(read_corpus(path).tokens.size(), 3u);
    write_variant(path, 1, "locus corpus", {0, 3}, {1, 2, 3}, 256);
    refuses(path, {"version 1", "expected 2"});
    write_variant(path, 2, "locus checkpoint", {0, 3}, {1, 2, 3}, 256);
    refuses(path, {"not a corpus"});
    write_variant(path, 2, "locus corpus", {0, 4}, {1, 2, 3}, 256);
    refuses(path, {"does not fit"});
    write_variant(path, 2, "locus corpus", {0, 3}, {1, 2, 3}, 3);
    refuses(path, {"vocabulary of 3"});
}

TEST_F(CorpusFile, CarriesTheModelOfItsTokenizer) {
    Corpus corpus = test::corpus_of({50, 60});
    corpus.tokenizer = {"pieces", std::string("a\0b\xff", 4)};
    corpus.hash = hash_of(corpus);
    const auto path = folder_ / "pieces.h5";
    write_corpus(corpus, path);
    EXPECT_EQ(read_corpus(path).tokenizer, corpus.tokenizer);
}

TEST_F(CorpusFile, WhatDecidesTrainingAndScoringIsUnderTheHash) {
    const Corpus corpus = test::corpus_of({50, 60, 70}, {"A", "B", "C"});
    const auto changed = [&](auto change) {
        Corpus other = corpus;
        change(other);
        return hash_of(other);
    };
    EXPECT_EQ(changed([](Corpus& c) { c.name = "another name"; }), corpus.hash);
    EXPECT_NE(changed([](Corpus& c) { c.valid = {"A"}; }), corpus.hash);
    EXPECT_NE(changed([](Corpus& c) { c.valid = {"A"}; }), changed([](Corpus& c) { c.valid = {"B"}; }));
    EXPECT_NE(changed([](Corpus& c) { c.valid = {"A"}; }), changed([](Corpus& c) { c.test = {"A"}; }));
    EXPECT_NE(changed([](Corpus& c) {
                  c.valid = {"A", "B"};
              }),
              changed([](Corpus& c) {
                  c.valid = {"A"};
                  c.test = {"B"};
              }));
    EXPECT_NE(changed([](Corpus& c) { c.tokenizer.kind = "other"; }), corpus.hash);
    EXPECT_NE(changed([](Corpus& c) { c.tokenizer.bytes = "model"; }), corpus.hash);
    EXPECT_NE(changed([](Corpus& c) { c.vocabulary = 255; }), corpus.hash);
    EXPECT_NE(changed([](Corpus& c) { c.documents[1].book = "A"; }), corpus.hash);
    EXPECT_NE(changed([](Corpus& c) { c.documents[1].end = c.documents[2].begin = 111; }), corpus.hash);
}

TEST_F(CorpusFile, NoByteOfItMayChange) {
    Corpus corpus = test::corpus_of({300, 40}, {"A", "B"});
    corpus.valid = {"B"};
    corpus.hash = hash_of(corpus);
    write_corpus(corpus, folder_ / "c.h5");
    const std::string whole = bytes_of(folder_ / "c.h5");
    for (std::size_t place = 0; place < whole.size(); place += 7) {
        std::string damaged = whole;
        damaged[place] = static_cast<char>(damaged[place] ^ (1 << place % 8));
        refuses(put("flip.h5", damaged));
    }
}

TEST_F(CorpusFile, ServesAsAnInput) {
    Corpus corpus = test::corpus_of({50, 60}, {"A", "B"});
    corpus.test = {"B"};
    corpus.hash = hash_of(corpus);
    write_corpus(corpus, folder_ / "c.h5");
    expect_equal(corpus_from_paths({(folder_ / "c.h5").string()}).documents.size() == 2
                     ? read_corpus(folder_ / "c.h5")
                     : Corpus{},
                 corpus);
    const Corpus loaded = corpus_from_paths({(folder_ / "c.h5").string()});
    EXPECT_EQ(loaded.hash, corpus.hash);
    EXPECT_EQ(loaded.test, corpus.test);
}

TEST_F(CorpusFile, AFailedWriteLeavesNothing) {
    std::filesystem::create_directories(folder_ / "taken.h5");
    expect_error([&] { write_corpus(test::corpus_of({5}), folder_ / "taken.h5"); }, Failure::data,
                 {"taken.h5"});
    expect_error([&] { write_corpus(test::corpus_of({5}), folder_ / "no/c.h5"); }, Failure::data,
                 {"no/c.h5"});
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

}  // namespace
}  // namespace locus
