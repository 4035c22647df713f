// Splits that the names of files say: wiki.test.tokens is not for training.
#pragma once

#include <string>
#include <vector>

namespace locus {

struct NamedSplits {
    std::vector<std::string> valid, test;  // names of files
    std::vector<std::string> notes;        // names that hold such a word and were not followed
};

/// Reads the words train, training; valid, validation, val, dev; test in the names of the files of a corpus,
/// which are paths from its top. A word counts where it is the folder at the top ("test/a.txt"), where
/// nothing but numbers stands beside it ("valid-00001.jsonl"), or where another file is called the same but
/// for the word ("wiki.test.tokens" beside "wiki.train.tokens"). Otherwise ("the_acid_test.txt") a note says
/// so.
NamedSplits splits_by_name(const std::vector<std::string>& files);

}  // namespace locus
