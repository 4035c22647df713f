#include "recipes/engine/run/own_folder.h"

#include "framework/core/error.h"
#include "framework/io/atomic_file.h"
#include "recipes/engine/run/same_recipe.h"

namespace fs = std::filesystem;

namespace locus {

void require_own_folder(const fs::path& folder) {
    std::error_code unreachable;  // making the folder will say why
    if (fs::exists(folder / "recipe.yaml", unreachable)) return;
    for (const char* ours : {"manifest.json", "metrics.jsonl", "checkpoints", "evaluations"})
        require(
            !fs::exists(folder / ours, unreachable), Failure::storage,
            "{}: holds {}, but no recipe.yaml: it is no run folder of Locus, and nothing in it is written "
            "over; choose another --out",
            folder.string(), ours);
}

void check_run_folder(const fs::path& folder, const std::string& recipe) {
    require_own_folder(folder);
    const fs::path path = folder / "recipe.yaml";
    std::error_code unreachable;
    if (!fs::exists(path, unreachable)) return;
    require_same_training(recipe, read_file(path), folder.string(),
                          "this run folder belongs to another recipe");
}

void make_run_folder(const fs::path& folder, const std::string& recipe) {
    const fs::path path = folder / "recipe.yaml";
    std::error_code error;
    if (fs::exists(path, error) && read_file(path) == recipe) return;  // else what is asked has changed
    fs::create_directories(folder, error);
    require(!error, Failure::storage, "{}: the run folder cannot be made: {}", folder.string(),
            error.message());
    write_file_atomically(path, recipe);
}

}  // namespace locus
