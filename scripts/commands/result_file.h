// Where a command may write a file of results: never over what somebody still needs.
#pragma once

#include <string>

namespace locus {

/// What a file of results is known by, when one is there already.
enum class ResultFile { npy, logits, losses };

/// Throws a storage Error, before any work, where `path` lies in no folder, is something other than a file,
/// or is a file that a new one of this kind does not replace: any but one of its kind, and all that a run
/// keeps.
void check_result_file(const std::string& option, const std::string& path, ResultFile kind);

}  // namespace locus
