// Which documents train, validate and test.
#pragma once

#include <string>
#include <vector>

#include "data/corpus.h"
#include "data/options.h"

namespace locus {

/// A document, or the part of it that a split holds. The tokens lie in the corpus, which must live on.
struct SplitDocument {
    std::string name;
    std::string book;
    Index index = 0;  // of the document in the corpus
    TokenView tokens;
};

struct Split {
    std::string name;  // "train", "valid" or "test"
    std::vector<SplitDocument> documents;

    Index tokens() const;
};

struct Splits {
    Split train{"train", {}}, valid{"valid", {}}, test{"test", {}};
    bool contiguous = false;  // a corpus of one document, cut by tokens: intervals are block bootstraps
};

/// Splits `corpus` as the options say; where they are silent, as the corpus itself says; else 0.1 validates.
///   names      all documents of the named books, and the named documents
///   fraction   the last books that fit into it, but at least one (documents, where there is one book);
///   validation
///              takes from the end, testing from what is then left
///   a corpus of one document and fractions   train, test, valid lie in this order in its tokens
/// Throws a usage Error for names that are not there (it lists the books) or in both, and where nothing is
/// left to train on.
Splits split(const Corpus& corpus, const DataOptions& options);

}  // namespace locus
