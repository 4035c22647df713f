// What lies among the texts of the world, and what becomes of it.
#include <sys/stat.h>

#include <nlohmann/json.hpp>
#include <random>

#include "data/corpus_file.h"
#include "data/plain_text.h"
#include "data/sources.h"
#include "data/split.h"
#include "data/target.h"
#include "tests/data/support.h"

namespace locus {
namespace {

using test::expect_error;
using test::gzip;
using namespace std::string_literals;

class Gate : public test::FolderTest {
  protected:
    void refuses(const std::string& path, const std::vector<std::string>& parts) const {
        expect_error([&] { corpus_from_paths({path}); }, Failure::data, parts);
    }
    std::vector<std::string> names(const Corpus& corpus) const {
        std::vector<std::string> found;
        for (const Document& document : corpus.documents) found.push_back(document.name);
        return found;
    }
    std::string all_lines(const Corpus& corpus) const {
        std::string text;
        for (const std::string& line : corpus.intake.lines()) text += line + "\n";
        return text;
    }
    std::string folder(const std::string& name) const { return (folder_ / name).string(); }
};

using Names = std::vector<std::string>;
const std::string two_lines = "{\"text\": \"one\"}\n{\"text\": \"two\"}\n";

std::string utf16(const std::string& text, bool big) {
    std::string wide;
    for (const char c : text) wide += big ? std::string{'\0', c} : std::string{c, '\0'};
    return wide;
}

TEST_F(Gate, JsonLinesAreReadHoweverTheyAreCalled) {
    for (const char* name : {"a.jsonl", "a.JSONL", "a.ndjson", "a.jsonlines", "a.json", "a.txt", "a"}) {
        EXPECT_EQ(corpus_from_paths({put(name, two_lines)}).documents.size(), 2u) << name;
        EXPECT_EQ(corpus_from_paths({put(std::string(name) + ".gz", gzip(two_lines))}).documents.size(), 2u)
            << name;
        EXPECT_EQ(corpus_from_paths({put("packed", gzip(two_lines))}).documents.size(), 2u) << name;
    }
    EXPECT_EQ(corpus_from_paths({put("bom.json", "\xef\xbb\xbf" + two_lines)}).documents.size(), 2u);
    refuses(put("b.json", "{\"content\": \"x\", \"id\": 1}\n"),
            {"b.json:1", "\"text\"", "found none", "content, id"});
    refuses(put("c.json", "[{\"text\": \"x\"}]"), {"c.json", "one JSON document", "on each line"});
    refuses(put("d.json", "{\n\"text\": \"x\"\n}"), {"d.json", "one JSON document"});
    refuses(put("e.json", two_lines + "and text"), {"e.json:3", "not JSON"});
}

TEST_F(Gate, TextThatLooksLikeJsonIsText) {
    for (const char* text : {"{curly} brackets begin it\n", "[1] A note.\n", "{\nint x;\n}\n"}) {
        const Corpus corpus = corpus_from_paths({put("a.txt", text)});
        EXPECT_EQ(test::text_of(corpus.tokens_of(corpus.documents.at(0))), text);
    }
}

TEST_F(Gate, FormsThatAreNotReadAreRefusedByName) {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"\x28\xb5\x2f\xfd\x04\x58"s, "Zstandard"},
        {"\xfd"
         "7zXZ\0\0"s,
         "xz"},
        {"BZh91AY&SY\x01\x02"s, "bzip2"},
        {"PK\x03\x04\x14\0\0\0"s, "zip"},
        {"PAR1\x15\x04"s, "Parquet"},
        {"ARROW1\0\0"s, "Arrow"},
        {"\xff\xfe" + utf16("It is a truth", false), "UTF-16"},
        {utf16("It is a truth universally acknowledged", true), "UTF-16"},
        {"{\\rtf1\\ansi It is a truth}", "RTF"},
        {"<?xml version='1.0'?><rdf:RDF/>", "XML"},
        {"<!DOCTYPE html><p>", "HTML"},
        {"\xff\xd8\xff\xe0\0\x10JFIF"s, "JPEG"},
        {"%PDF-1.4\n", "PDF"},
        {"caf\xe9 au lait", "not UTF-8: byte 0xE9 at 3"},
        {"nul\0"s, "NUL at byte 3"},
        {"version https://git-lfs.github.com/spec/v1\n", "Git LFS"},
    };
    for (const auto& [content, name] : cases) {
        // By content, whatever the file is called, and within gzip, too.
        for (const char* file : {"x.txt", "x.jsonl", "x"}) {
            if (content.starts_with("caf") && std::string(file) == "x.jsonl") continue;
            if (content.starts_with("nul") && std::string(file) == "x.jsonl") continue;
            refuses(put(file, content), {file, name});
            refuses(put("y.txt.gz", gzip(content)), {"y.txt.gz", name});
        }
        const Corpus raw = corpus_from_paths({put("x.txt", content)}, {.format = TextFormat::bytes});
        EXPECT_EQ(test::text_of(raw.tokens.view()), content);
    }
    refuses(put("t.csv", "a,b\n1,2\n"), {"t.csv", "table"});
    refuses(put("t.TSV", "a\tb\n"), {"t.TSV", "table"});
}

TEST_F(Gate, ANameThatClaimsWhatTheContentIsNotIsRefused) {
    for (const char* name : {"a.gz", "a.jsonl.zst", "a.h5", "a.parquet", "a.xz", "a.zip", "a.pdf"})
        refuses(put(name, "It is a truth universally acknowledged."), {name, "expected", "found text"});
    for (const char* name : {"a.gz", "a.h5"})
        refuses(put(name, "\x01\x02\x03\0\xff"s), {name, "other bytes"});
}

TEST_F(Gate, PlainTextIsUtf8WithFewControls) {
    for (const std::string& text :
         {"plain"s, "caf\xc3\xa9 \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x98\x80"s, "a\tb\r\n\f\v"s, "one \x1b"s,
          "cut off \xe6\x97"s, ""s, std::string(5000, 'x') + "\x01\x02\x03"s})
        EXPECT_EQ(why_not_plain(text), "") << text;
    const std::vector<std::pair<std::string, std::string>> faults = {
        {"a\0b"s, "is binary: a NUL at byte 1"},
        {"x\x80"s, "is not UTF-8: byte 0x80 at 1"},
        {"\xc0\xaf"s, "is not UTF-8: byte 0xC0 at 0"},          // overlong
        {"\xed\xa0\x80"s, "is not UTF-8: byte 0xED at 0"},      // a surrogate
        {"\xf4\x90\x80\x80"s, "is not UTF-8: byte 0xF4 at 0"},  // beyond Unicode
        {"ab\xe6\x97x"s, "is not UTF-8: byte 0xE6 at 2"},
        {"\x01\x02\x03 text"s, "is binary: 3 control characters, the first (0x01) at byte 0"},
    };
    for (const auto& [text, fault] : faults) EXPECT_EQ(why_not_plain(text), fault);
}

TEST_F(Gate, AFolderSaysWhatItTookAndLeftOut) {
    put("c/a.txt", "one book");
    put("c/b.jsonl.gz", gzip(two_lines));
    put("c/empty.txt", "");
    put("c/cover.jpg", "\xff\xd8\xff\xe0\0\x10JFIF"s);
    put("c/book.rdf", "<?xml version='1.0'?><rdf:RDF/>");
    put("c/.DS_Store", "x");
    ASSERT_EQ(::mkfifo((folder_ / "c/pipe").c_str(), 0600), 0);
    const Corpus corpus = corpus_from_paths({folder("c")});
    EXPECT_EQ(names(corpus), (Names{"a.txt", "b.jsonl.gz:1", "b.jsonl.gz:2"}));
    const std::string said = all_lines(corpus);
    for (const char* part : {"taken: 1 x text (a.txt)", "1 x JSON lines in gzip (b.jsonl.gz)",
                             "left out: ", "1 x empty (empty.txt)", "1 x a JPEG image (cover.jpg)",
                             "1 x XML (book.rdf)", "1 x hidden (.DS_Store)", "1 x no regular file (pipe)"})
        EXPECT_NE(said.find(part), std::string::npos) << part << "\n" << said;
    EXPECT_EQ(describe(corpus)["intake"]["left_out"].size(), 5u);
    expect_error([&] { corpus_from_paths({folder("c")}, {.strict = true}); }, Failure::data,
                 {"--strict", "cover.jpg"});
    // What may hold text is never passed over.
    put("c/more.jsonl.zst", "\x28\xb5\x2f\xfd\x04\x58"s);
    refuses(folder("c"), {"more.jsonl.zst", "Zstandard"});
}

TEST_F(Gate, LinksAreFollowedToFilesAndFoldersAlikeAndNothingIsTakenTwice) {
    put("else/book/1.txt", "one");
    put("else/2.txt", "two");
    put("c/a.txt", "three");
    std::filesystem::create_directory_symlink("../else/book", folder_ / "c/linked");
    std::filesystem::create_symlink("../else/2.txt", folder_ / "c/two.txt");
    std::filesystem::create_symlink("a.txt", folder_ / "c/z.txt");
    std::filesystem::create_directory_symlink("..", folder_ / "c/linked/up");
    std::filesystem::create_directory_symlink("../../c", folder_ / "else/book/round");
    const Corpus corpus = corpus_from_paths({folder("c")});
    EXPECT_EQ(names(corpus), (Names{"a.txt", "linked/1.txt", "linked/up/2.txt"}));
    const std::string said = all_lines(corpus);
    EXPECT_NE(said.find("a link to a folder that it lies in"), std::string::npos) << said;
    EXPECT_NE(said.find("another name of a file that is there"), std::string::npos) << said;
    std::filesystem::create_symlink("nowhere", folder_ / "c/broken");
    refuses(folder("c"), {"broken", "No such file", "a link"});
}

TEST_F(Gate, NamesSplitAFolderUnlessItsNoteDoes) {
    put("c/wiki.test.tokens", "one");
    put("c/wiki.train.tokens", "two");
    put("c/wiki.valid.tokens", "three");
    const Splits splits = split(corpus_from_paths({folder("c")}), {});
    EXPECT_EQ(splits.train.documents.size(), 1u);
    EXPECT_EQ(splits.train.documents.at(0).name, "wiki.train.tokens");
    EXPECT_EQ(splits.test.documents.at(0).name, "wiki.test.tokens");
    put("c/corpus.json", R"({"valid": ["wiki.test.tokens"]})");
    const Corpus noted = corpus_from_paths({folder("c")});
    EXPECT_EQ(noted.valid, Names{"wiki.test.tokens"});
    EXPECT_TRUE(noted.test.empty());
    put("j/train.jsonl", two_lines);
    put("j/test.jsonl", two_lines);
    EXPECT_EQ(split(corpus_from_paths({folder("j")}), {}).test.documents.size(), 2u);
    EXPECT_EQ(corpus_from_paths({put("x/a.train.txt", "one"), put("x/a.test.txt", "two")}).test,
              Names{"a.test.txt"});
}

TEST_F(Gate, CorporaKeepTheirSplitsAmongOtherInputs) {
    Corpus corpus = test::corpus_of({50, 60}, {"A", "B"});
    corpus.test = {"B"};
    corpus.hash = hash_of(corpus);
    write_corpus(corpus, folder_ / "packed");  // no suffix decides
    EXPECT_EQ(corpus_from_paths({folder("packed"), put("a.txt", "text")}).test, Names{"B"});
    EXPECT_EQ(corpus_from_paths({folder("packed")}).hash, corpus.hash);
}

TEST_F(Gate, EmptyLinesOfJsonAreCountedNotFatal) {
    const Corpus corpus =
        corpus_from_paths({put("a.jsonl", "{\"text\": \"\"}\n" + two_lines + "{\"text\": \"\"}")});
    EXPECT_EQ(corpus.documents.size(), 2u);
    EXPECT_NE(all_lines(corpus).find("2 x an empty text (a.jsonl:1, a.jsonl:4)"), std::string::npos);
}

TEST_F(Gate, GzipMayBePaddedWithNulsAndMayNotGrowWithoutEnd) {
    EXPECT_EQ(corpus_from_paths({put("a.gz", gzip("text") + std::string(3000, '\0'))}).tokens.size(), 4u);
    EXPECT_EQ(corpus_from_paths({put("b.gz", gzip("te") + gzip("xt") + std::string(3, '\0'))}).tokens.size(),
              4u);
    refuses(put("c.gz", gzip("text") + std::string(3, '\0') + "x"), {"c.gz", "damaged"});
    refuses(put("bomb.gz", gzip(std::string(80'000'000, ' '))), {"bomb.gz", "become more than 67108864"});
    refuses(put("twice.gz", gzip(gzip("text"))), {"twice.gz", "gzip"});
}

TEST_F(Gate, DeepJsonIsRefused) {
    refuses(put("deep.jsonl",
                "{\"text\": \"x\", \"a\": " + std::string(300'000, '[') + std::string(300'000, ']') + "}"),
            {"deep.jsonl:1", "300001 levels"});
}

TEST_F(Gate, PathsThatCannotBeUsedAreNamed) {
    refuses(std::string(300, 'n'), {"File name too long"});
    refuses(put("file", "x") + "/below", {"below"});
    ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
    refuses(folder("pipe"), {"pipe", "not a file but a pipe"});
    refuses("/dev/zero", {"/dev/zero", "device"});
}

TEST_F(Gate, ATargetThatSomebodyNeedsIsRefused) {
    const std::string input = put("in/a.txt", "text");
    const auto refused = [&](const std::string& out, bool force, const std::vector<std::string>& parts) {
        expect_error([&] { check_target(out, {input}, force); }, Failure::data, parts);
    };
    std::filesystem::create_symlink(input, folder_ / "link");
    std::filesystem::create_hard_link(input, folder_ / "hard");
    for (const bool force : {false, true}) {
        for (const std::string& out : {input, folder("link"), folder("hard")})
            refused(out, force, {"the input"});
        refused(put("other.txt", "text"), force, {"other.txt", "no corpus"});
        refused(put("empty.h5", ""), force, {"empty.h5", "no corpus"});
        expect_error([&] { check_target(folder("in/new/c.h5"), {folder("in")}, force); }, Failure::data,
                     {"lies in the input"});
    }
    write_corpus(test::corpus_of({5}), folder_ / "c.h5");
    refused(folder("c.h5"), false, {"c.h5", "--force"});
    EXPECT_NO_THROW(check_target(folder("c.h5"), {input}, true));
    EXPECT_NO_THROW(check_target(folder("new.h5"), {input}, false));
    expect_error([&] { check_target(folder("c.h5"), {folder("c.h5")}, true); }, Failure::data, {"the input"});
}

/// One change of a kind that disks, networks and people make.
std::string mutated(const std::string& whole, std::mt19937_64& random) {
    std::string bytes = whole;
    const auto place = [&] { return bytes.empty() ? 0 : random() % bytes.size(); };
    switch (random() % 5) {
        case 0:
            bytes.resize(place());
            break;
        case 1:
            bytes[place()] = static_cast<char>(random());
            break;
        case 2:
            for (int i = 0; i < 20; ++i) bytes[place()] ^= static_cast<char>(1 << random() % 8);
            break;
        case 3:
            bytes.insert(place(), std::string(random() % 600, static_cast<char>(random() % 3)));
            break;
        default:
            bytes.erase(place(), random() % 64);
    }
    return bytes;
}

// Whatever it is, it is read or refused in one line, as data.
TEST_F(Gate, MutatedInputsOfEveryKindAreReadOrRefused) {
    write_corpus(test::corpus_of({500, 60}, {"A", "B"}), folder_ / "c.h5");
    const std::string text = "It is a truth universally acknowledged, that a single man in possession\n";
    const std::vector<std::pair<std::string, std::string>> kinds = {
        {"m.txt", text + text},
        {"m.jsonl", two_lines + two_lines},
        {"m.jsonl.gz", gzip(two_lines + two_lines)},
        {"m.h5", test::bytes_of(folder_ / "c.h5")},
        {"m.txt.gz", gzip(text)},
        {"m/corpus.json", R"({"valid": ["a.txt"], "test": []})"},
        {"m16.txt", "\xff\xfe" + utf16(text, false)}};
    put("m/a.txt", text);
    put("m/b.txt", text);
    std::mt19937_64 random(7);
    int read = 0, refused = 0;
    for (const auto& [name, whole] : kinds) {
        for (int trial = 0; trial < 150; ++trial) {
            const std::string path = put(name, mutated(whole, random));
            try {
                const Corpus corpus = corpus_from_paths({name == "m/corpus.json" ? folder("m") : path});
                EXPECT_GT(corpus.tokens.size(), 0u);
                ++read;
            } catch (const Error& error) {
                const std::string message = error.what();
                EXPECT_EQ(error.kind(), Failure::data) << message;
                EXPECT_EQ(message.find('\n'), std::string::npos) << message;
                EXPECT_NE(message.find("m"), std::string::npos) << message;
                ++refused;
            }
        }
    }
    EXPECT_GT(read, 50);
    EXPECT_GT(refused, 400);
}

}  // namespace
}  // namespace locus
