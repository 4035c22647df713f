// Which key did the writer of an unknown one mean?
#pragma once

#include <string>
#include <vector>

namespace locus {

/// The number of insertions, deletions, replacements and swaps of neighbours between two words.
std::size_t edit_distance(const std::string& a, const std::string& b);

/// The path in `known` that is nearest to `path`; spellings of other frameworks (learning_rate, d_model, ...)
/// count as names of ours.
std::string nearest_key(const std::string& path, const std::vector<std::string>& known);

}  // namespace locus
