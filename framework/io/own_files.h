// Where the program finds the files that belong to it.
#pragma once

#include <filesystem>
#include <string>

namespace locus {

/// The folder share/locus/NAME of an installed program, or the folder SOURCE of the source tree for a program
/// in its build folder: searched from the program upward, the installed one first. An empty path where
/// neither is there. No path of the machine that built it is asked.
std::filesystem::path find_own_folder(const std::string& name, const std::string& source);

}  // namespace locus
