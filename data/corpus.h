// Tokens in documents, documents in books.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/tokenizer.h"
#include "framework/core/batch.h"

namespace locus {

/// What windows never cross. A book, one or several documents, is what splits are made of.
struct Document {
    std::string name;
    std::string book;
    Index begin = 0, end = 0;  // tokens of the corpus, end excluded
};

struct Corpus {
    std::string name;
    std::string tokenizer;
    Index vocabulary = 0;
    std::vector<Token> tokens;
    std::vector<Document> documents;       // in order, without gaps
    std::vector<std::string> valid, test;  // the corpus's own split, by name; empty: it has none
    std::string hash;  // XXH3-128 of tokens and documents: not of the names of files above them

    std::span<const Token> tokens_of(const Document& document) const {
        return std::span(tokens).subspan(static_cast<std::size_t>(document.begin),
                                         static_cast<std::size_t>(document.end - document.begin));
    }
};

/// Puts a corpus together, document by document.
class CorpusBuilder {
  public:
    /// Throws a usage Error for an unknown tokenizer.
    CorpusBuilder(std::string name, const std::string& tokenizer);

    /// Throws a data Error that begins with `where` when the text is empty, the name was there before, or a
    /// name is not UTF-8 or holds a NUL.
    void add(const std::string& name, const std::string& book, std::string_view text,
             const std::string& where);

    /// Adds all documents of another corpus. Throws a data Error when its tokenizer is another one.
    void add(const Corpus& other, const std::string& where);

    void set_split(std::vector<std::string> valid, std::vector<std::string> test);

    /// Throws a data Error when there is no document.
    Corpus finish();

  private:
    void add(const std::string& name, const std::string& book, std::span<const Token> tokens,
             const std::string& where);

    std::unique_ptr<Tokenizer> tokenizer_;
    std::set<std::pair<std::string, std::string>> seen_;
    Corpus corpus_;
};

/// XXH3-128 of tokens and document table, as Corpus::hash holds it.
std::string hash_of(const Corpus& corpus);

/// Names of the books in the order of their first documents.
std::vector<std::string> books_of(const Corpus& corpus);

/// name, tokenizer, vocabulary, tokens, documents, hash, valid, test, books[{name, documents, tokens}]
nlohmann::json describe(const Corpus& corpus);

}  // namespace locus
