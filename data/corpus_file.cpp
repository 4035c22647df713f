#include "data/corpus_file.h"

#include <algorithm>

#include "framework/core/error.h"
#include "framework/io/hdf5.h"

namespace locus {

namespace {

constexpr const char* format_name = "locus corpus";
constexpr Index format_version = 2;  // 1: its hash left out the split and the tokenizer

ElementType stored_type(Index vocabulary) {
    const int width = token_width(vocabulary);
    return width == 1 ? ElementType::uint8 : width == 2 ? ElementType::uint16 : ElementType::int32;
}

TokenStore read_tokens(const Hdf5File& file, Index vocabulary) {
    const ElementType found = file.describe("tokens").type, expected = stored_type(vocabulary);
    require(found == expected, Failure::data, "{}: its tokens are of {}, expected {} for a vocabulary of {}",
            file.path().string(), to_string(found), to_string(expected), vocabulary);
    return {vocabulary, file.read_bytes("tokens")};
}

bool says_corpus(const Hdf5File& file) {
    return file.has_attribute("/", "format") && file.text_attribute("/", "format") == format_name;
}

void check_format(const Hdf5File& file) {
    const std::string path = file.path().string();
    require(says_corpus(file), Failure::data, "{}: an HDF5 file, but not a corpus of Locus", path);
    const std::int64_t version =
        file.has_attribute("/", "version") ? file.integer_attribute("/", "version") : 0;
    require(version == format_version, Failure::data, "{}: corpus version {}, expected {}", path, version,
            format_version);
}

std::vector<Document> read_documents(const Hdf5File& file, Index tokens) {
    const std::vector<std::int64_t> offsets = file.read<std::int64_t>("offsets");
    const std::vector<std::string> names = file.read_texts("names");
    const std::vector<std::string> books = file.read_texts("books");
    const bool fits = names.size() == books.size() && offsets.size() == names.size() + 1 &&
                      offsets.front() == 0 && offsets.back() == tokens &&
                      std::is_sorted(offsets.begin(), offsets.end());
    require(fits, Failure::data,
            "{}: the document table does not fit: {} tokens, {} offsets, {} names, {} books",
            file.path().string(), tokens, offsets.size(), names.size(), books.size());
    std::vector<Document> documents;
    for (std::size_t i = 0; i < names.size(); ++i) {
        documents.push_back({names[i], books[i], offsets[i], offsets[i + 1]});
    }
    return documents;
}

void check_content(const Corpus& corpus, const std::string& path) {
    const std::string found = hash_of(corpus);
    require(found == corpus.hash, Failure::data, "{}: damaged: its checksum is {}, expected {}", path, found,
            corpus.hash);
    require(corpus.tokens.size() > 0, Failure::data, "{}: there is no text in it", path);
    Token min = 0, max = 0;
    for (const Token token : corpus.tokens.view()) {
        min = std::min(min, token);
        max = std::max(max, token);
    }
    require(min >= 0 && max < corpus.vocabulary, Failure::data,
            "{}: tokens {} .. {} do not fit a vocabulary of {}", path, min, max, corpus.vocabulary);
}

}  // namespace

void write_corpus(const Corpus& corpus, const std::filesystem::path& path) {
    Hdf5File file = Hdf5File::create(path, Failure::data);
    file.set_attribute("/", "format", std::string(format_name));
    file.set_attribute("/", "version", format_version);
    file.set_attribute("/", "name", corpus.name);
    file.set_attribute("/", "tokenizer", corpus.tokenizer.kind);
    if (const std::string& model = corpus.tokenizer.bytes; !model.empty())
        file.write_bytes({"tokenizer_model", {static_cast<Index>(model.size())}, ElementType::uint8},
                         std::as_bytes(std::span(model)));
    file.set_attribute("/", "vocabulary", corpus.vocabulary);
    file.set_attribute("/", "hash", corpus.hash);
    file.write_bytes({"tokens", {static_cast<Index>(corpus.tokens.size())}, stored_type(corpus.vocabulary)},
                     corpus.tokens.view().bytes());
    std::vector<std::int64_t> offsets = {0};
    std::vector<std::string> names, books;
    for (const Document& document : corpus.documents) {
        offsets.push_back(document.end);
        names.push_back(document.name);
        books.push_back(document.book);
    }
    file.write("offsets", offsets);
    file.write_texts("names", names);
    file.write_texts("books", books);
    if (!corpus.valid.empty()) file.write_texts("valid", corpus.valid);
    if (!corpus.test.empty()) file.write_texts("test", corpus.test);
    file.commit();
}

bool is_corpus_file(const std::filesystem::path& path) {
    return says_corpus(Hdf5File::open(path, Failure::data));
}

Corpus read_corpus(const std::filesystem::path& path) {
    const Hdf5File file = Hdf5File::open(path, Failure::data);
    check_format(file);
    Corpus corpus;
    corpus.name = file.text_attribute("/", "name");
    corpus.tokenizer.kind = file.text_attribute("/", "tokenizer");
    if (file.contains("tokenizer_model"))
        for (const std::byte byte : file.read_bytes("tokenizer_model"))
            corpus.tokenizer.bytes.push_back(std::to_integer<char>(byte));
    corpus.vocabulary = file.integer_attribute("/", "vocabulary");
    corpus.hash = file.text_attribute("/", "hash");
    require(corpus.vocabulary >= 1, Failure::data, "{}: a vocabulary of {}", path.string(),
            corpus.vocabulary);
    corpus.tokens = read_tokens(file, corpus.vocabulary);
    corpus.documents = read_documents(file, static_cast<Index>(corpus.tokens.size()));
    if (file.contains("valid")) corpus.valid = file.read_texts("valid");
    if (file.contains("test")) corpus.test = file.read_texts("test");
    check_content(corpus, path.string());
    return corpus;
}

}  // namespace locus
