#include "framework/io/checkpoint_folder.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <system_error>

#include "framework/io/atomic_file.h"

namespace locus {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix = "step_";
constexpr std::string_view suffix = ".h5";

/// The step in a file's name; nothing for any other name.
std::optional<std::int64_t> step_of(std::string_view name) {
    if (!name.starts_with(prefix) || !name.ends_with(suffix)) return std::nullopt;
    const std::string_view digits = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
    std::int64_t step = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), step);
    if (code != std::errc() || end != digits.data() + digits.size() || step < 0) return std::nullopt;
    return step;
}

/// Of a save that was killed; only checkpoints' own temporary files, whatever else lies in the folder.
bool is_stale(std::string_view name) {
    const std::size_t mark = name.find(temporary_mark);
    return mark != std::string_view::npos && step_of(name.substr(0, mark));
}

/// Names in a folder; none when there is no such folder.
std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code code;
    for (fs::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
        names.push_back(entry->path().filename().string());
    }
    if (code == std::errc::no_such_file_or_directory) return {};
    require(!code, Failure::storage, "cannot read folder {}: {}", folder.string(), code.message());
    return names;
}

std::map<std::int64_t, std::string> steps_in(const fs::path& folder) {
    std::map<std::int64_t, std::string> steps;
    for (const std::string& name : names_in(folder)) {
        if (const auto step = step_of(name)) steps[*step] = name;
    }
    return steps;
}

}  // namespace

CheckpointFolder::CheckpointFolder(fs::path folder, Index keep, Index keep_every)
    : folder_(std::move(folder)), keep_(keep), keep_every_(keep_every) {
    require(keep >= 1, "checkpoints: at least one must be kept, found keep = {}", keep);
    require(keep_every >= 0, "checkpoints: expected keep_every >= 0, found {}", keep_every);
}

fs::path CheckpointFolder::path_of(std::int64_t step) const {
    return folder_ / fmt::format("{}{:08}{}", prefix, step, suffix);
}

fs::path CheckpointFolder::save(const Checkpoint& checkpoint) const {
    std::error_code code;
    fs::create_directories(folder_, code);
    require(!code, Failure::storage, "cannot make folder {}: {}", folder_.string(), code.message());
    for (const std::string& name : names_in(folder_)) {
        if (is_stale(name)) fs::remove(folder_ / name, code);
    }
    const fs::path path = path_of(checkpoint.step);
    save_checkpoint(path, checkpoint);

    Index kept = 0;
    const auto steps = steps_in(folder_);
    for (auto place = steps.rbegin(); place != steps.rend(); ++place) {
        const std::int64_t step = place->first;
        const bool is_milestone = keep_every_ > 0 && step % keep_every_ == 0;
        const bool stays = step <= checkpoint.step && (kept++ < keep_ || is_milestone);
        if (!stays) fs::remove(folder_ / place->second, code);
    }
    return path;
}

std::optional<fs::path> CheckpointFolder::newest_but(const std::set<fs::path>& tried) const {
    std::vector<fs::path> candidates = files();
    while (!candidates.empty() && tried.contains(candidates.back())) candidates.pop_back();
    if (candidates.empty()) return std::nullopt;
    return candidates.back();
}

std::vector<fs::path> CheckpointFolder::files() const {
    std::vector<fs::path> files;
    for (const auto& [step, name] : steps_in(folder_)) files.push_back(folder_ / name);
    return files;
}

std::optional<CheckpointFolder::Found> CheckpointFolder::newest() const {
    std::vector<std::string> faults;
    std::set<fs::path> tried;
    // A run that saves meanwhile adds files and removes old ones: each is looked for anew.
    for (auto path = newest_but(tried); path; path = newest_but(tried)) {
        try {
            return Found{*path, load_checkpoint(*path), faults};
        } catch (const Error& error) {
            std::error_code code;
            if (fs::exists(*path, code)) faults.emplace_back(error.what());
            tried.insert(*path);
        }
    }
    require(faults.empty(), Failure::storage, "{}: no checkpoint can be read: {}", folder_.string(),
            fmt::join(faults, "; "));
    return std::nullopt;
}

}  // namespace locus
