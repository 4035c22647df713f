// The files below a folder of texts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/intake.h"

namespace locus {

/// Paths of the regular files below `folder`, relative to it, in byte order: the same in every locale and on
/// every file system. Links are followed, to files and folders alike. Left out, and noted: hidden names, what
/// is no regular file, a link to a folder that it lies in, and a file that was met already under another
/// name. Throws a data Error for a folder or link that cannot be read, and beyond 64 folders in each other.
std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder, Intake& intake);

}  // namespace locus
