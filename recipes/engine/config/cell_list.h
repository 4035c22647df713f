// cells.txt: which run folders of an experiment's folder are cells of its recipe.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace locus {

/// Writes the names of the cells' folders into `folder`/cells.txt, a line each; where they are a part of the
/// experiment, beside those that were there. Throws a storage Error.
void write_cell_list(const std::filesystem::path& folder, const std::vector<std::string>& names,
                     bool part = false);

/// What was written last; nothing where there is no list.
std::optional<std::vector<std::string>> read_cell_list(const std::filesystem::path& folder);

}  // namespace locus
