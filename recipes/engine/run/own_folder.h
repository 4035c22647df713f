// Whose a run folder is.
#pragma once

#include <filesystem>
#include <string>

namespace locus {

/// Throws a storage Error where a folder holds what is no run of Locus.
void require_own_folder(const std::filesystem::path& folder);

/// Throws a storage Error where a folder holds the run of another recipe, or what is no run of Locus.
void check_run_folder(const std::filesystem::path& folder, const std::string& recipe);

/// Makes the folder where it is not there, with the recipe; one that is asked something else of the same
/// model gets the new recipe. Throws a storage Error.
void make_run_folder(const std::filesystem::path& folder, const std::string& recipe);

}  // namespace locus
