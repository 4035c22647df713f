#include "scripts/commands/result_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "framework/core/error.h"
#include "framework/io/hdf5.h"

namespace locus {

namespace {

namespace fs = std::filesystem;

bool is_npy(const fs::path& path) {
    constexpr std::string_view magic = "\x93NUMPY";
    std::array<char, magic.size()> begin{};
    std::ifstream(path, std::ios::binary).read(begin.data(), begin.size());
    return std::string_view(begin.data(), begin.size()) == magic;
}

// Also of several protocols, in a group each.
bool has_dataset(const fs::path& path, const std::string& name) {
    try {
        const auto datasets = Hdf5File::open(path, Failure::storage).datasets();
        return std::any_of(datasets.begin(), datasets.end(), [&](const Hdf5Dataset& dataset) {
            return fs::path(dataset.name).filename() == name;
        });
    } catch (const Error&) {  // not HDF5, or damaged: all the less to be lost unasked
        return false;
    }
}

bool is_of_kind(const fs::path& path, ResultFile kind) {
    switch (kind) {
        case ResultFile::npy:
            return is_npy(path);
        case ResultFile::logits:
            return has_dataset(path, "logits");
        case ResultFile::losses:
            break;
    }
    return has_dataset(path, "nats");
}

// Whether a table is made of it.
bool belongs_to_a_run(const fs::path& path) {
    std::error_code unknown;
    const fs::path folder = fs::weakly_canonical(path, unknown).parent_path();
    return !unknown && folder.filename() == "evaluations" &&
           fs::exists(folder.parent_path() / "recipe.yaml", unknown);
}

}  // namespace

void check_result_file(const std::string& option, const std::string& path, ResultFile kind) {
    const fs::path folder = fs::path(path).parent_path();
    std::error_code unknown;
    require(folder.empty() || fs::is_directory(folder, unknown), Failure::storage,
            "{} {}: {} is not a folder", option, path, folder.string());
    const auto type = fs::status(path, unknown).type();
    if (type == fs::file_type::not_found) return;
    require(type == fs::file_type::regular, Failure::storage, "{} {}: is there and is not a file", option,
            path);
    require(is_of_kind(path, kind) && !belongs_to_a_run(path), Failure::storage,
            "{} {}: a file is there that holds something else, expected a new name; it stays", option, path);
}

}  // namespace locus
