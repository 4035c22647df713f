// Corpora in HDF5: tokens, document offsets, names and books, under one checksum.
#pragma once

#include <filesystem>

#include "data/corpus.h"

namespace locus {

/// Writes `corpus` to `path`, whole or not at all. Tokens take one byte where the vocabulary is at most 256,
/// two where it is at most 65536, else four. Throws a data Error when the file cannot be written.
void write_corpus(const Corpus& corpus, const std::filesystem::path& path);

/// True when `path` is an HDF5 file that says it is a corpus. Throws a data Error when it cannot be opened.
bool is_corpus_file(const std::filesystem::path& path);

/// Reads what write_corpus wrote. Throws a data Error when the file is missing, cut off, damaged (its
/// checksum is computed again), of another version or something else.
Corpus read_corpus(const std::filesystem::path& path);

}  // namespace locus
