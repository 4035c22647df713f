// Real text from Debian packages, by the scripts in data/fetch.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace locus {

/// Names that fetch() knows.
const std::vector<std::string>& fetchable();

/// Puts the corpus `name` into out/name, whole or not at all, and returns that folder; what is there already
/// stays. `say` gets each line of progress. Throws a usage Error for an unknown name; a data Error that names
/// the package file to supply (into `out`) where apt-get is missing or fails.
std::filesystem::path fetch(const std::string& name, const std::filesystem::path& out,
                            const std::function<void(const std::string&)>& say);

}  // namespace locus
