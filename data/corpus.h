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

#include "data/intake.h"
#include "data/tokenizer.h"
#include "data/tokens.h"

namespace locus {

/// What windows never cross. A book, one or several documents, is what splits are made of.
struct Document {
    std::string name;
    std::string book;
    Index begin = 0, end = 0;  // tokens of the corpus, end excluded
};

struct Corpus {
    std::string name;
    TokenizerIdentity tokenizer;
    Index vocabulary = 0;
    TokenStore tokens;
    std::vector<Document> documents;       // in order, without gaps
    std::vector<std::string> valid, test;  // the corpus's own split, by name; empty: it has none
    std::string hash;  // XXH3-128 of all that decides what is trained and scored, see hash_of()
    Intake intake;     // of the building; none where it was read from a corpus file

    TokenView tokens_of(const Document& document) const {
        return tokens.view().subspan(static_cast<std::size_t>(document.begin),
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

    /// Adds to the split that the corpus itself has: names of books, documents, or files of JSON lines.
    void add_split(const std::vector<std::string>& valid, const std::vector<std::string>& test);
    bool has_split() const { return !corpus_.valid.empty() || !corpus_.test.empty(); }

    /// Makes room for `bytes` of text. Throws a data Error with both figures where memory has no such room.
    void expect(std::uint64_t bytes);

    Intake& intake() { return corpus_.intake; }

    /// Throws a data Error that says what was left out when there is no document.
    Corpus finish();

  private:
    void open(const std::string& name, const std::string& book, const std::string& where);
    void close();

    std::unique_ptr<Tokenizer> tokenizer_;
    std::set<std::pair<std::string, std::string>> seen_;
    Corpus corpus_;
};

/// XXH3-128 of tokenizer, vocabulary, tokens, document table and the corpus's own split, as Corpus::hash
/// holds it; not of the names of folders above the documents.
std::string hash_of(const Corpus& corpus);

/// Names of the books in the order of their first documents.
std::vector<std::string> books_of(const Corpus& corpus);

/// name, tokenizer, vocabulary, tokens, documents, hash, valid, test, books[{name, documents, tokens}]
nlohmann::json describe(const Corpus& corpus);

}  // namespace locus
