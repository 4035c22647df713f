// Where corpora come from: the generator, fetched folders, text files, folders, .jsonl and HDF5.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/corpus.h"
#include "data/options.h"

namespace locus {

/// Folder of the fetched corpora: $LOCUS_DATA, else ~/.cache/locus. Throws a data Error where HOME is not set
/// either.
std::filesystem::path data_folder();

/// The corpus of a recipe: "generated", a name in data_folder(), or a path. Throws a data Error that lists
/// what was looked for when it is not there.
Corpus load_corpus(const DataOptions& options);

/// One corpus of files, folders and names of fetched corpora.
///   text file (.gz too)       one document, its own book
///   folder                    a file is a document, in the order of the paths; its book is the folder's
///   sub-folder
///                             that it lies in, else itself; hidden files are left out; a corpus.json at the
///                             top may name the books to validate and test with ("valid", "test")
///   .jsonl, .jsonl.gz         a line is a document: "text", and "book" where it has one
///   .h5, .hdf5                a corpus that write_corpus wrote
/// Throws a data Error with file (and line) for what is missing, empty, cut off or malformed.
Corpus corpus_from_paths(const std::vector<std::string>& inputs, const std::string& tokenizer = "byte");

}  // namespace locus
