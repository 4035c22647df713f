// Every key that a recipe may say, for a reader.
#pragma once

#include <string>
#include <vector>

#include "recipes/engine/config/schema.h"

namespace locus {

/// A key, and what there is to know of it.
struct ListedKey {
    std::string path;
    KeyType type;
    std::string standard;  // what holds where nothing is said: in an otherwise empty recipe; "": nothing
    std::string doc;       // one sentence
    std::vector<std::string> kinds;  // of encodings that have it; empty: every recipe has it
    std::string instead_of;          // the key that says the same in other words, or ""
};

/// The keys of a section such as train or encoding.scaling, of the top level (question, base), or all for "".
/// Throws a usage Error that names the sections for what is none.
std::vector<ListedKey> list_keys(const Schema& schema, const std::string& section);

}  // namespace locus
