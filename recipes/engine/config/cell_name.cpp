#include "recipes/engine/config/cell_name.h"

#include <algorithm>
#include <filesystem>
#include <span>

#include "framework/core/error.h"
#include "framework/io/checksum.h"
#include "recipes/engine/config/arms.h"

namespace locus {

namespace {

constexpr std::size_t longest_name = 200;  // bytes: a file system takes 255, and temporary files add to it

// A folder's name may hold a path's last part, not its slashes.
std::string safe(std::string text) {
    for (char& c : text)
        if (!fits_folder_name(c)) c = '_';
    return text;
}

// The last part of an axis, or the whole path where two axes end alike.
std::string short_axis(const std::string& axis, const std::vector<Coordinate>& cell) {
    const auto leaf = [](const std::string& path) { return path.substr(path.rfind('.') + 1); };
    const auto alike = std::count_if(cell.begin(), cell.end(),
                                     [&](const Coordinate& other) { return leaf(other.axis) == leaf(axis); });
    return alike > 1 ? axis : leaf(axis);
}

// What lies beside the cells (tables, figures, pages) or in a run folder, which may itself be the folder of
// an experiment.
bool is_taken(const std::string& name) {
    for (const char* file : {"recipe.yaml", "manifest.json", "metrics.jsonl", "profile.json", "checkpoints",
                             "evaluations", "figures", "lock", "cells.txt"})
        if (name == file) return true;
    const std::filesystem::path path(name);
    const std::string stem = path.stem().string();
    const bool is_file = path.has_extension() && name.find(',') == std::string::npos;
    return is_file && (stem == "table" || stem == "figure" || stem == "report");
}

}  // namespace

std::string cell_title(const std::vector<Coordinate>& cell, const std::string& path) {
    std::string name;
    for (const Coordinate& coordinate : cell) {
        if (!name.empty()) name += ",";
        if (coordinate.axis != "arm") name += short_axis(coordinate.axis, cell) + "=";
        name += safe(coordinate.value);
    }
    if (name.empty()) name = safe(std::filesystem::path(path).stem().string());
    return name.empty() || name[0] == '.' ? "run" : name;
}

std::string cell_name(const std::string& title, const std::string& place) {
    require(!is_taken(title),
            "{}: vary: a cell named '{}' would stand where an experiment or a run has a file", place, title);
    if (title.size() <= longest_name) return title;
    const std::string hash = "~" + checksum(title).substr(0, 16);
    return title.substr(0, longest_name - hash.size()) + hash;
}

}  // namespace locus
