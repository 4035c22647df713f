// Where corpora come from: the generator, fetched folders, text files, folders, .jsonl and HDF5.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/corpus.h"
#include "data/locate.h"
#include "data/options.h"

namespace locus {

/// How files become a corpus.
struct BuildOptions {
    std::string tokenizer = "byte";
    TextFormat format = TextFormat::automatic;
    bool strict = false;                // refuse what would be left out
    std::filesystem::path folder = {};  // where relative paths begin; "": the working folder
};

/// The corpus of a recipe: "generated", a name in data_folder(), or a path. Throws a data Error that lists
/// what was looked for when it is not there.
Corpus load_corpus(const DataOptions& options);

/// One corpus of files, folders and names of fetched corpora. What a file is, its content says:
///   text in UTF-8             one document, its own book
///   JSON lines                a line is a document: "text", and "book" where it has one
///   gzip                      of either of these
///   HDF5                      a corpus that write_corpus wrote, with its split
///   folder                    a file is a document, in the order of the paths; its book is the folder's
///                             sub-folder that it lies in, else itself; what is not text is left out, and the
///                             corpus's intake says so; a corpus.json at the top may name the books to
///                             validate and test with ("valid", "test")
/// Other forms are refused by name, and taken as they lie there with TextFormat::bytes. Where neither a
/// corpus.json nor a corpus says what validates and tests, names of files do (splits_by_name).
/// Throws a data Error with file (and line) for what is missing, empty, cut off or malformed.
Corpus corpus_from_paths(const std::vector<std::string>& inputs, const BuildOptions& options = {});

}  // namespace locus
