#include "data/split.h"

#include <cmath>
#include <map>
#include <string_view>
#include <unordered_map>

#include "framework/core/error.h"

namespace locus {

namespace {

enum class Part { train, valid, test };

const char* name_of(Part part) {
    return part == Part::valid ? "valid" : "test";
}

/// What one split shall hold: names, or a fraction where there are none.
struct Choice {
    std::vector<std::string> names;
    double fraction = 0;
};

Choice choose(const std::vector<std::string>& names, const std::optional<double>& fraction,
              const std::vector<std::string>& own, double standard) {
    if (!names.empty()) return {names, 0};
    if (fraction) return {{}, *fraction};
    if (!own.empty()) return {own, 0};
    return {{}, standard};
}

Index tokens_in(double fraction, std::size_t tokens) {
    return static_cast<Index>(std::llround(fraction * static_cast<double>(tokens)));
}

std::string list_books(const Corpus& corpus) {
    constexpr std::size_t shown = 80;
    const std::vector<std::string> books = books_of(corpus);
    std::string listing;
    for (std::size_t i = 0; i < books.size() && i < shown; ++i) listing += (i ? ", " : "") + books[i];
    if (books.size() > shown) listing += fmt::format(", ... ({} in all)", books.size());
    return listing;
}

/// The documents that each name means: their own names, those of their books, and of their files of JSON
/// lines.
class NameIndex {
  public:
    explicit NameIndex(const Corpus& corpus) {
        for (std::size_t i = 0; i < corpus.documents.size(); ++i) {
            const Document& document = corpus.documents[i];
            const std::string_view name = document.name;
            add(name, i);
            if (document.book != name) add(document.book, i);
            const std::size_t colon = name.rfind(':');
            const bool line = colon != std::string_view::npos && colon + 1 < name.size() &&
                              name.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
            if (line && name.substr(0, colon) != document.book) add(name.substr(0, colon), i);
        }
    }

    const std::vector<std::size_t>* find(const std::string& name) const {
        const auto place = documents_.find(name);
        return place == documents_.end() ? nullptr : &place->second;
    }

  private:
    void add(std::string_view name, std::size_t document) { documents_[name].push_back(document); }

    std::unordered_map<std::string_view, std::vector<std::size_t>> documents_;  // names lie in the corpus
};

void claim_names(const Corpus& corpus, const NameIndex& index, Part part, const Choice& choice,
                 std::vector<Part>& parts) {
    for (const std::string& name : choice.names) {
        const std::vector<std::size_t>* found = index.find(name);
        if (found == nullptr) {  // the list of books takes time
            fail(Failure::usage, "data.{}: corpus {} has no book or document '{}'; its books are: {}",
                 name_of(part), corpus.name, name, list_books(corpus));
        }
        for (const std::size_t i : *found) {
            const Document& document = corpus.documents[i];
            require(parts[i] == Part::train || parts[i] == part,
                    "data.{}: '{}' (book '{}') is named for validation already", name_of(part), document.name,
                    document.book);
            parts[i] = part;
        }
    }
}

/// What is never torn apart: the documents of a book, or each document where there is but one book.
std::vector<std::vector<std::size_t>> units_of(const Corpus& corpus) {
    const bool one_book = books_of(corpus).size() == 1;
    std::map<std::string, std::size_t> place;
    std::vector<std::vector<std::size_t>> units;
    for (std::size_t i = 0; i < corpus.documents.size(); ++i) {
        const auto [entry, is_new] = place.emplace(corpus.documents[i].book, units.size());
        if (is_new || one_book) units.emplace_back();
        units[one_book ? i : entry->second].push_back(i);
    }
    return units;
}

void claim_fraction(const Corpus& corpus, Part part, const Choice& choice, std::vector<Part>& parts) {
    if (choice.fraction == 0) return;
    const Index limit = tokens_in(choice.fraction, corpus.tokens.size());
    const auto units = units_of(corpus);
    Index taken = 0;
    for (auto unit = units.rbegin(); unit != units.rend(); ++unit) {
        Index tokens = 0;
        bool is_free = true;
        for (const std::size_t i : *unit) {
            tokens += corpus.documents[i].end - corpus.documents[i].begin;
            is_free = is_free && parts[i] == Part::train;
        }
        if (!is_free) continue;
        if (taken > 0 && taken + tokens > limit) return;
        for (const std::size_t i : *unit) parts[i] = part;
        taken += tokens;
    }
}

Splits split_tokens(const Corpus& corpus, double valid, double test) {
    const Document& document = corpus.documents.front();
    const TokenView all = corpus.tokens_of(document);
    const auto of_valid = static_cast<std::size_t>(tokens_in(valid, all.size()));
    const auto of_test = static_cast<std::size_t>(tokens_in(test, all.size()));
    const std::size_t of_train = all.size() - std::min(all.size(), of_valid + of_test);
    Splits splits;
    splits.contiguous = true;
    const auto put = [&](Split& split, std::size_t begin, std::size_t count) {
        if (count > 0)
            split.documents.push_back({document.name, document.book, 0, all.subspan(begin, count)});
    };
    put(splits.train, 0, of_train);
    put(splits.test, of_train, of_test);
    put(splits.valid, of_train + of_test, of_valid);
    return splits;
}

Splits split_documents(const Corpus& corpus, const Choice& valid, const Choice& test) {
    std::vector<Part> parts(corpus.documents.size(), Part::train);
    if (!valid.names.empty() || !test.names.empty()) {
        const NameIndex index(corpus);
        claim_names(corpus, index, Part::valid, valid, parts);
        claim_names(corpus, index, Part::test, test, parts);
    }
    claim_fraction(corpus, Part::valid, valid, parts);
    claim_fraction(corpus, Part::test, test, parts);
    Splits splits;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Document& document = corpus.documents[i];
        Split& split = parts[i] == Part::train   ? splits.train
                       : parts[i] == Part::valid ? splits.valid
                                                 : splits.test;
        split.documents.push_back(
            {document.name, document.book, static_cast<Index>(i), corpus.tokens_of(document)});
    }
    return splits;
}

}  // namespace

Index Split::tokens() const {
    Index sum = 0;
    for (const SplitDocument& document : documents) sum += static_cast<Index>(document.tokens.size());
    return sum;
}

Splits split(const Corpus& corpus, const DataOptions& options) {
    check_options(options);
    const Choice valid = choose(options.valid, options.valid_fraction, corpus.valid, standard_valid_fraction);
    const Choice test = choose(options.test, options.test_fraction, corpus.test, standard_test_fraction);
    const bool by_tokens = corpus.documents.size() == 1 && valid.names.empty() && test.names.empty();
    Splits splits = by_tokens ? split_tokens(corpus, valid.fraction, test.fraction)
                              : split_documents(corpus, valid, test);
    require(!splits.train.documents.empty(),
            "corpus {}: nothing is left to train on: validation takes {} and testing {} of {} documents",
            corpus.name, splits.valid.documents.size(), splits.test.documents.size(),
            corpus.documents.size());
    return splits;
}

}  // namespace locus
