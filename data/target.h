// Where a corpus may be written: never over what somebody still needs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace locus {

/// Throws a data Error where `out` is one of the inputs or lies in an input folder, where a file is there
/// that is no corpus, or where a corpus is there and `force` is not given.
void check_target(const std::filesystem::path& out, const std::vector<std::string>& inputs, bool force);

}  // namespace locus
