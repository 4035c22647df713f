// JSON lines: an object on each line, with its "text" and perhaps its "book".
#pragma once

#include <string>
#include <string_view>

#include "data/corpus.h"

namespace locus {

/// Adds a document for each line, called "NAME:LINE". `book` is that of lines that name none; empty: each its
/// own. Empty texts are left out and counted. `where` is the file's path. Throws a data Error with file and
/// line for what is no object with a text.
void add_json_lines(CorpusBuilder& builder, std::string_view content, const std::string& name,
                    const std::string& book, const std::string& where);

}  // namespace locus
