// What a run left behind, as a table needs it: its resolved recipe, its manifest, its evaluations.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "recipes/engine/config/recipe.h"
#include "recipes/engine/identity/manifest.h"
#include "recipes/engine/measure/record.h"

namespace locus {

struct RunFolder {
    std::string name;  // of the folder
    std::filesystem::path path;
    std::map<std::string, std::vector<std::string>>
        recipe;                    // resolved, by dotted key; one item for a single value
    std::vector<Coordinate> cell;  // what varies, and its values here
    Manifest manifest;
    bool recipe_was_changed = false;  // after it was written, as its checksum in the manifest tells
    std::string state;                // done, trained, failed, diverged, running, ... of the manifest
    Identity identity, measured;      // what its training and its evaluation stood on
    std::vector<Evaluation> evaluations;

    /// Whether its evaluations are those of a model whose training came to its end.
    bool finished() const { return state == "done" || state == "trained"; }
    /// Whether this axis is one of its cell.
    bool varies(const std::string& axis) const;
    /// The value of a dotted key: of the cell, else of the recipe, a list in brackets; "" where it has none.
    std::string value(const std::string& key) const;
};

/// Reads one run folder. Throws a storage Error that names the file: no recipe.yaml, not YAML, not JSON, or a
/// field of a wrong type, or numbers that contradict each other. Missing fields, manifests and evaluations
/// are left empty.
RunFolder read_run_folder(const std::filesystem::path& folder);

/// The run folders in `folder`, or `folder` itself where it is one, by name. Throws a storage Error where it
/// is none.
std::vector<std::filesystem::path> run_folders_in(const std::filesystem::path& folder);

struct RunFolders {
    std::vector<RunFolder> runs;
    std::vector<std::string> left_out;  // names of folders that are no cells of the recipe that was run last
    std::vector<std::string> not_chosen;  // arms that nobody asked for
};

/// Reads every run folder in `folder`, or `folder` itself where it is one: in the order of the recipe where
/// the manifests tell it (`index`), else by name. Throws a storage Error where there is none, and where the
/// runs belong to different experiments.
RunFolders read_run_folders(const std::filesystem::path& folder);

/// Leaves the runs of these arms. Throws a usage Error that names the arms for one that is not there.
void choose_arms(RunFolders& folders, const std::vector<std::string>& arms);

/// By value where both are numbers, numbers before texts, texts by their bytes.
bool natural_less(const std::string& a, const std::string& b);

}  // namespace locus
