// Where a corpus lies.
#pragma once

#include <filesystem>
#include <string>

namespace locus {

/// Folder of the fetched corpora: $LOCUS_DATA, else ~/.cache/locus. Throws a data Error where HOME is not set
/// either.
std::filesystem::path data_folder();

/// The file or folder that a recipe or a command means by `name`: a name in data_folder(), or a path, which
/// begins in `folder` where it is relative. Throws a data Error that lists what was looked for when it is not
/// there.
std::filesystem::path locate(const std::string& name, const std::filesystem::path& folder = {});

}  // namespace locus
