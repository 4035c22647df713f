#include "data/sources.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "data/corpus_file.h"
#include "data/split.h"
#include "tests/data/support.h"

namespace locus {
namespace {

using test::expect_error;
using test::gzip;

class Sources : public test::FolderTest {
  protected:
    std::string text_of(const Corpus& corpus, std::size_t document) const {
        return test::text_of(corpus.tokens_of(corpus.documents.at(document)));
    }
    void refuses(const std::string& path, const std::vector<std::string>& parts) const {
        expect_error([&] { corpus_from_paths({path}); }, Failure::data, parts);
    }
};

TEST_F(Sources, TextKeepsItsMarkAndItsEndsOfLines) {
    const std::string text = "\xef\xbb\xbfone\r\ntwo\n\n";
    EXPECT_EQ(text_of(corpus_from_paths({put("a.txt", text)}), 0), text);
}

TEST_F(Sources, RawBytesKeepNulAndInvalidUtf8) {
    const std::string text("\xef\xbb\xbfone\r\ntwo\0three\xff\xfe\n\n", 21);
    const std::string path = put("a.txt", text);
    refuses(path, {"a.txt", "NUL at byte 11", "data.format: bytes"});
    const Corpus corpus = corpus_from_paths({path}, {.format = TextFormat::bytes});
    ASSERT_EQ(corpus.documents.size(), 1u);
    EXPECT_EQ(text_of(corpus, 0), text);
    EXPECT_EQ(corpus.name, "a");
    EXPECT_EQ(corpus.documents[0].name, "a.txt");
    EXPECT_EQ(corpus.documents[0].book, "a.txt");
}

TEST_F(Sources, FolderOrdersByPathAndTakesSubfoldersAsBooks) {
    put("c/z.txt", "last");
    put("c/B/10.txt", "ten");
    put("c/B/02.txt", "two");
    put("c/B/deep/1.txt", "deep");
    put("c/A.txt", "own book");
    put("c/.hidden", "no");
    put("c/.git/x", "no");
    const Corpus corpus = corpus_from_paths({(folder_ / "c").string()});
    std::vector<std::string> names, books;
    for (const Document& document : corpus.documents) {
        names.push_back(document.name);
        books.push_back(document.book);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"A.txt", "B/02.txt", "B/10.txt", "B/deep/1.txt", "z.txt"}));
    EXPECT_EQ(books, (std::vector<std::string>{"A.txt", "B", "B", "B", "z.txt"}));
    EXPECT_EQ(text_of(corpus, 2), "ten");
    EXPECT_EQ(describe(corpus)["books"][1]["tokens"], 10);
    EXPECT_EQ(describe(corpus)["documents"], 5);
}

TEST_F(Sources, FolderNoteGivesTheSplit) {
    put("c/A/1.txt", "aaa");
    put("c/B/1.txt", "bbb");
    put("c/C/1.txt", "ccc");
    put("c/corpus.json", R"({"title": "t", "valid": ["A"], "test": ["C"]})");
    const Corpus corpus = corpus_from_paths({(folder_ / "c").string()});
    EXPECT_EQ(corpus.documents.size(), 3u);
    const Splits splits = split(corpus, {});
    EXPECT_EQ(splits.valid.documents.at(0).book, "A");
    EXPECT_EQ(splits.test.documents.at(0).book, "C");
    put("c/corpus.json", R"({"valid": "A"})");
    refuses((folder_ / "c").string(), {"corpus.json", "valid"});
    put("c/corpus.json", "{");
    refuses((folder_ / "c").string(), {"corpus.json", "not JSON"});
}

TEST_F(Sources, JsonLines) {
    const std::string lines =
        "{\"text\": \"caf\\u00e9\\u0000\\n\", \"book\": \"B\"}\r\n\n{\"text\": \"two\", \"other\": 1}\n";
    for (const std::string& path : {put("l.jsonl", lines), put("m.jsonl.gz", gzip(lines)),
                                    put("n.jsonl.gz", gzip(lines.substr(0, 40)) + gzip(lines.substr(40)))}) {
        const Corpus corpus = corpus_from_paths({path});
        ASSERT_EQ(corpus.documents.size(), 2u) << path;
        EXPECT_EQ(text_of(corpus, 0), std::string("caf\xc3\xa9\0\n", 7));
        EXPECT_EQ(corpus.documents[0].book, "B");
        EXPECT_EQ(text_of(corpus, 1), "two");
        EXPECT_EQ(corpus.documents[1].book, corpus.documents[1].name);
    }
}

TEST_F(Sources, BadJsonLinesNameFileAndLine) {
    const std::string good = "{\"text\": \"x\"}\n";
    refuses(put("a.jsonl", good + "{\"text\": \"y\"\n"), {"a.jsonl:2", "not JSON"});
    refuses(put("b.jsonl", good + "\n{\"txt\": \"y\"}"), {"b.jsonl:3", "\"text\"", "none"});
    refuses(put("c.jsonl", "{\"text\": 5}"), {"c.jsonl:1", "\"text\"", "number"});
    refuses(put("d.jsonl", "{\"text\": \"\"}"), {"d.jsonl:1", "no document", "an empty text"});
    refuses(put("e.jsonl", "[1]"), {"e.jsonl:1", "object", "array"});
    refuses(put("f.jsonl", "{\"text\": \"\xff\"}"), {"f.jsonl:1"});
    refuses(put("g.jsonl", "\n\n"), {"no document"});
    refuses(put("h.jsonl", "{\"text\": \"x\", \"book\": \"a\\u0000\"}"), {"h.jsonl:1", "NUL"});
}

TEST_F(Sources, BadGzip) {
    std::string noise;  // too long for one block of output and hard to compress
    for (std::uint32_t i = 0, x = 1; i < 300'000; ++i)
        noise.push_back(static_cast<char>('a' + ((x = x * 1664525 + 1) >> 24) % 26));
    const std::string packed = gzip(noise);
    EXPECT_EQ(text_of(corpus_from_paths({put("good.txt.gz", packed)}), 0), noise);
    refuses(put("cut.txt.gz", packed.substr(0, packed.size() / 2)), {"cut.txt.gz", "cut off"});
    refuses(put("cut2.txt.gz", packed.substr(0, packed.size() - 1)), {"cut2.txt.gz", "cut off"});
    refuses(put("plain.txt.gz", "just text"), {"plain.txt.gz", "expected a gzip file", "found text"});
    refuses(put("tail.txt.gz", packed + "rubbish"), {"tail.txt.gz"});
    refuses(put("none.txt.gz", ""), {"none.txt.gz"});
    std::string flipped = packed;
    flipped[packed.size() / 2] = static_cast<char>(flipped[packed.size() / 2] ^ 1);
    refuses(put("flip.txt.gz", flipped), {"flip.txt.gz", "damaged"});
}

TEST_F(Sources, NothingThere) {
    refuses(put("empty.txt", ""), {"empty.txt", "empty"});
    std::filesystem::create_directories(folder_ / "void");
    refuses((folder_ / "void").string(), {"void", "no document"});
    refuses((folder_ / "missing.txt").string(), {"missing.txt", "looked for"});
    put("two/b.txt", "");
    refuses((folder_ / "two").string(), {"b.txt", "empty", "no document"});
    refuses(put("hidden.bin", "\x89HDF\r\n\x1a\n...."), {"hidden.bin", "cut off"});
}

TEST_F(Sources, SeveralInputsAndTheirNames) {
    const std::string a = put("x/a.txt", "one"), b = put("y/b.txt", "two");
    const Corpus corpus = corpus_from_paths({a, b});
    EXPECT_EQ(corpus.name, "a+b");
    EXPECT_EQ(corpus.documents.size(), 2u);
    const std::string twin = put("z/a.txt", "three");
    expect_error([&] { corpus_from_paths({a, twin}); }, Failure::data, {"a.txt", "twice"});
}

TEST_F(Sources, HashDoesNotDependOnThePlace) {
    for (const char* top : {"p", "q"}) {
        put(std::string(top) + "/B/1.txt", "hello");
        put(std::string(top) + "/B/2.txt", "world");
    }
    put("r/B/1.txt", "hellow");
    put("r/B/2.txt", "orld");
    const auto hash = [&](const char* top) { return corpus_from_paths({(folder_ / top).string()}).hash; };
    EXPECT_EQ(hash("p"), hash("q"));
    EXPECT_NE(hash("p"), hash("r"));  // the same bytes, another boundary
    EXPECT_EQ(hash("p").size(), 32u);
}

TEST_F(Sources, NamesAreLookedUpInTheDataFolder) {
    ::setenv("LOCUS_DATA", folder_.c_str(), 1);
    put("mine/1.txt", "hello");
    write_corpus(test::corpus_of({5, 6}), folder_ / "packed.h5");
    DataOptions options;
    options.corpus = "mine";
    EXPECT_EQ(load_corpus(options).name, "mine");
    options.corpus = "packed";
    EXPECT_EQ(load_corpus(options).tokens.size(), 11u);
    options.corpus = "austen";
    expect_error([&] { load_corpus(options); }, Failure::data,
                 {"locus data fetch austen", (folder_ / "austen").string()});
    options.corpus = "nosuch";
    expect_error([&] { load_corpus(options); }, Failure::data, {"nosuch", "austen, gcide, kjv", "nosuch.h5"});
    ::unsetenv("LOCUS_DATA");
    EXPECT_EQ(data_folder(), std::filesystem::path(std::getenv("HOME")) / ".cache/locus");
}

TEST(GeneratedCorpus, TakesItsOptionsAndNobodyElseDoes) {
    DataOptions options;
    EXPECT_EQ(load_corpus(options).documents.size(), 64u);
    EXPECT_EQ(load_corpus(options).tokens.size(), 64u * 16384u);
    options.documents = 3;
    options.document_length = 100;
    const Corpus corpus = load_corpus(options);
    EXPECT_EQ(corpus.documents.size(), 3u);
    EXPECT_EQ(corpus.tokens.size(), 300u);
    options.generator_seed = 1;
    EXPECT_NE(load_corpus(options).hash, corpus.hash);
    options.corpus = "austen";
    expect_error([&] { load_corpus(options); }, Failure::usage, {"data.documents", "generated", "austen"});
    options = {};
    options.documents = 0;
    expect_error([&] { load_corpus(options); }, Failure::usage, {"data.documents", "0"});
}

}  // namespace
}  // namespace locus
