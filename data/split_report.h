// What is really held out: for people who build a corpus, and for the manifests of those who train on it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "data/split.h"

namespace locus {

/// "trains on 38 documents, 92.1 % of the tokens", "validates on ...": a line for each split, with what was
/// asked for where that was a fraction, and the names of its books or documents.
std::vector<std::string> describe(const Splits& splits, const DataOptions& options);

/// A line for validation and for testing where more than a tenth of their lines of text stand in the training
/// text, too: another edition, or the same file again. Nothing for tokens that are not bytes.
std::vector<std::string> describe_overlap(const Splits& splits);

/// hash (XXH3-128 of the parts of documents that train, validate and test), and for each split documents,
/// tokens, share and the first names.
nlohmann::json record(const Splits& splits);

}  // namespace locus
