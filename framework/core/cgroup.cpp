#include "framework/core/cgroup.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace locus {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t no_limit = std::int64_t{1} << 60;  // version 1 writes LONG_MAX, cut to pages, for none

/// The first number of a file; nothing where there is no file, or where it says "max".
std::optional<std::int64_t> number_in(const fs::path& path) {
    std::ifstream file(path);
    std::int64_t number = 0;
    if (!(file >> number)) return std::nullopt;
    return number;
}

std::int64_t number_of(const fs::path& path, std::string_view wanted) {
    std::ifstream file(path);
    for (std::string key, value; file >> key >> value;)
        if (key == wanted) return std::atoll(value.c_str());
    return 0;
}

/// The folders, from the process's own group up, that may hold a controller's files. A line of the list is
/// "number:controllers:/path", of version 2 "0::/path". A container may see the paths of its host, which do
/// not exist inside; then the mount itself is its group.
std::vector<fs::path> folders_of(const ControlGroups& groups, std::string_view controller) {
    std::vector<fs::path> folders;
    std::ifstream list(groups.own);
    for (std::string line; std::getline(list, line);) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const std::string names = line.substr(first + 1, second - first - 1);
        const bool unified = names.empty();
        std::istringstream words(names);
        bool holds = unified;
        for (std::string name; std::getline(words, name, ',');) holds = holds || name == controller;
        if (!holds) continue;
        std::vector<fs::path> mounts = {groups.mount};
        if (unified)
            mounts.push_back(groups.mount / "unified");
        else
            mounts = {groups.mount / names, groups.mount / controller};
        for (const fs::path& mount : mounts) {
            for (fs::path path = fs::path(line.substr(second + 1)).relative_path(); !path.empty();
                 path = path.parent_path())
                folders.push_back(mount / path);
            folders.push_back(mount);
        }
    }
    return folders;
}

template <typename T>
void keep_min(std::optional<T>& min, T value) {
    min = min ? std::min(*min, value) : value;
}

}  // namespace

std::optional<double> ControlGroups::cpu_quota() const {
    std::optional<double> min;
    for (const fs::path& folder : folders_of(*this, "cpu")) {
        std::int64_t quota = 0, period = 0;
        std::ifstream file(folder / "cpu.max");
        if (!(file >> quota >> period)) {
            quota = number_in(folder / "cpu.cfs_quota_us").value_or(-1);  // -1: none
            period = number_in(folder / "cpu.cfs_period_us").value_or(0);
        }
        if (quota > 0 && period > 0) keep_min(min, static_cast<double>(quota) / static_cast<double>(period));
    }
    return min;
}

std::optional<std::int64_t> ControlGroups::memory_left() const {
    std::optional<std::int64_t> min;
    const auto look = [&](const fs::path& folder, const char* limit, const char* usage, const char* pages) {
        const auto max = number_in(folder / limit), used = number_in(folder / usage);
        if (!max || !used || *max < 0 || *max >= no_limit) return;
        const std::int64_t given_back = number_of(folder / "memory.stat", pages);
        keep_min(min, std::max<std::int64_t>(1, *max - *used + given_back));
    };
    for (const fs::path& folder : folders_of(*this, "memory")) {
        look(folder, "memory.max", "memory.current", "inactive_file");
        look(folder, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file");
    }
    return min;
}

}  // namespace locus
