#include "recipes/engine/config/cell_list.h"

#include <algorithm>
#include <sstream>

#include "framework/core/error.h"
#include "framework/io/atomic_file.h"

namespace locus {

namespace {

const char* const file_name = "cells.txt";

}  // namespace

void write_cell_list(const std::filesystem::path& folder, const std::vector<std::string>& names, bool part) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    require(!error, Failure::storage, "{}: cannot be made: {}", folder.string(), error.message());
    std::string text;
    std::vector<std::string> all = names;
    if (part)
        for (std::string& name : read_cell_list(folder).value_or(std::vector<std::string>{}))
            if (std::find(names.begin(), names.end(), name) == names.end()) all.push_back(std::move(name));
    for (const std::string& name : all) text += name + "\n";
    write_file_atomically(folder / file_name, text);
}

std::optional<std::vector<std::string>> read_cell_list(const std::filesystem::path& folder) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(folder / file_name, error)) return std::nullopt;
    std::vector<std::string> names;
    std::istringstream lines(read_file(folder / file_name));
    for (std::string line; std::getline(lines, line);) names.push_back(line);
    return names;
}

}  // namespace locus
