#include "data/corpus.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/stop.h"
#include "framework/io/checksum.h"
#include "framework/io/machine.h"

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
    corpus_.tokenizer = tokenizer_->identity();
    corpus_.vocabulary = tokenizer_->vocabulary();
    corpus_.tokens = TokenStore(corpus_.vocabulary);
}

void CorpusBuilder::add(const std::string& name, const std::string& book, std::string_view text,
                        const std::string& where) {
    require(!text.empty(), Failure::data, "{}: the text is empty", where);
    open(name, book, where);
    tokenizer_->append(text, corpus_.tokens);
    close();
}

void CorpusBuilder::add(const Corpus& other, const std::string& where) {
    require(other.tokenizer == corpus_.tokenizer, Failure::data,
            "{}: its tokenizer is {} ({}), expected {} ({})", where, other.tokenizer.kind,
            other.tokenizer.hash(), corpus_.tokenizer.kind, corpus_.tokenizer.hash());
    for (const Document& document : other.documents) {
        open(document.name, document.book, where);
        corpus_.tokens.append(other.tokens_of(document));
        close();
    }
}

void CorpusBuilder::open(const std::string& name, const std::string& book, const std::string& where) {
    throw_if_stopped();
    check_name(name, where);
    check_name(book, where);
    require(seen_.emplace(book, name).second, Failure::data, "{}: document '{}' of book '{}' is there twice",
            where, name, book);
    const auto begin = static_cast<Index>(corpus_.tokens.size());
    corpus_.documents.push_back({name, book, begin, begin});
}

void CorpusBuilder::close() {
    corpus_.documents.back().end = static_cast<Index>(corpus_.tokens.size());
}

void CorpusBuilder::add_split(const std::vector<std::string>& valid, const std::vector<std::string>& test) {
    corpus_.valid.insert(corpus_.valid.end(), valid.begin(), valid.end());
    corpus_.test.insert(corpus_.test.end(), test.begin(), test.end());
}

void CorpusBuilder::expect(std::uint64_t bytes) {
    const auto available = static_cast<std::uint64_t>(std::max<std::int64_t>(0, available_memory()));
    require(available == 0 || bytes <= available, Failure::data,
            "corpus {}: its files have {}, the memory that is available has {}", corpus_.name,
            size_text(bytes), size_text(available));
    corpus_.tokens.reserve(corpus_.tokens.size() + bytes);
}

Corpus CorpusBuilder::finish() {
    require(!corpus_.documents.empty(), Failure::data, "corpus {}: there is no document in it{}",
            corpus_.name,
            corpus_.intake.left_out() == 0 ? "" : "; left out: " + corpus_.intake.what_was_left_out());
    corpus_.hash = hash_of(corpus_);
    return std::move(corpus_);
}

std::string hash_of(const Corpus& corpus) {
    Checksum sum;
    sum.add(corpus.tokenizer.kind);
    if (!corpus.tokenizer.bytes.empty()) sum.add(corpus.tokenizer.bytes);
    sum.add(corpus.vocabulary);
    sum.add(corpus.tokens.view().bytes());
    for (const Document& document : corpus.documents) {
        sum.add(document.name);
        sum.add(document.book);
        sum.add(document.begin);
        sum.add(document.end);
    }
    for (const auto* names : {&corpus.valid, &corpus.test}) {
        sum.add(static_cast<std::int64_t>(names->size()));
        for (const std::string& name : *names) sum.add(name);
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
            {"tokenizer", corpus.tokenizer.kind},
            {"vocabulary", corpus.vocabulary},
            {"tokens", corpus.tokens.size()},
            {"documents", corpus.documents.size()},
            {"hash", corpus.hash},
            {"valid", corpus.valid},
            {"test", corpus.test},
            {"intake", corpus.intake.record()},
            {"books", books}};
}

}  // namespace locus
