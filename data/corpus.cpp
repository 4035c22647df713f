#include "data/corpus.h"

#include <map>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/stop.h"
#include "framework/io/checksum.h"

namespace locus {

namespace {

void check_name(const std::string& name, const std::string& where) {
    bool clean = name.find('\0') == std::string::npos;
    try {
        nlohmann::json(name).dump();  // JSON and HDF5 will have to hold it
    } catch (const nlohmann::json::exception&) {
        clean = false;
    }
    require(clean, Failure::data, "{}: the name of a document or book must be UTF-8 without NUL", where);
}

}  // namespace

CorpusBuilder::CorpusBuilder(std::string name, const std::string& tokenizer)
    : tokenizer_(make_tokenizer(tokenizer)) {
    corpus_.name = std::move(name);
    corpus_.tokenizer = tokenizer_->name();
    corpus_.vocabulary = tokenizer_->vocabulary();
}

void CorpusBuilder::add(const std::string& name, const std::string& book, std::string_view text,
                        const std::string& where) {
    require(!text.empty(), Failure::data, "{}: the text is empty", where);
    add(name, book, tokenizer_->encode(text), where);
}

void CorpusBuilder::add(const Corpus& other, const std::string& where) {
    require(other.tokenizer == corpus_.tokenizer, Failure::data, "{}: its tokenizer is {}, expected {}",
            where, other.tokenizer, corpus_.tokenizer);
    for (const Document& document : other.documents) {
        add(document.name, document.book, other.tokens_of(document), where);
    }
}

void CorpusBuilder::add(const std::string& name, const std::string& book, std::span<const Token> tokens,
                        const std::string& where) {
    throw_if_stopped();
    check_name(name, where);
    check_name(book, where);
    require(seen_.emplace(book, name).second, Failure::data, "{}: document '{}' of book '{}' is there twice",
            where, name, book);
    const auto begin = static_cast<Index>(corpus_.tokens.size());
    corpus_.tokens.insert(corpus_.tokens.end(), tokens.begin(), tokens.end());
    corpus_.documents.push_back({name, book, begin, static_cast<Index>(corpus_.tokens.size())});
}

void CorpusBuilder::set_split(std::vector<std::string> valid, std::vector<std::string> test) {
    corpus_.valid = std::move(valid);
    corpus_.test = std::move(test);
}

Corpus CorpusBuilder::finish() {
    require(!corpus_.documents.empty(), Failure::data, "corpus {}: there is no document in it", corpus_.name);
    corpus_.hash = hash_of(corpus_);
    return std::move(corpus_);
}

std::string hash_of(const Corpus& corpus) {
    Checksum sum;
    sum.add(std::as_bytes(std::span(corpus.tokens)));
    for (const Document& document : corpus.documents) {
        sum.add(document.name);
        sum.add(document.book);
        sum.add(document.begin);
        sum.add(document.end);
    }
    return sum.hex();
}

std::vector<std::string> books_of(const Corpus& corpus) {
    std::vector<std::string> books;
    std::set<std::string> seen;
    for (const Document& document : corpus.documents) {
        if (seen.insert(document.book).second) books.push_back(document.book);
    }
    return books;
}

nlohmann::json describe(const Corpus& corpus) {
    std::map<std::string, std::pair<Index, Index>> counts;
    for (const Document& document : corpus.documents) {
        auto& [documents, tokens] = counts[document.book];
        ++documents;
        tokens += document.end - document.begin;
    }
    nlohmann::json books = nlohmann::json::array();
    for (const std::string& book : books_of(corpus)) {
        books.push_back({{"name", book}, {"documents", counts[book].first}, {"tokens", counts[book].second}});
    }
    return {{"name", corpus.name},
            {"tokenizer", corpus.tokenizer},
            {"vocabulary", corpus.vocabulary},
            {"tokens", corpus.tokens.size()},
            {"documents", corpus.documents.size()},
            {"hash", corpus.hash},
            {"valid", corpus.valid},
            {"test", corpus.test},
            {"books", books}};
}

}  // namespace locus
