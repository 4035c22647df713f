#include "data/intake.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace locus {

namespace {

constexpr std::size_t names_shown = 3;

}  // namespace

std::string size_text(std::uint64_t bytes) {
    auto value = static_cast<double>(bytes);
    if (bytes < 1000) return fmt::format("{} bytes", bytes);
    const char* unit = "";
    for (const char* next : {"kB", "MB", "GB", "TB"}) {
        if (value < 1000) break;
        value /= 1000;
        unit = next;
    }
    return fmt::format("{:.1f} {}", value, unit);
}

void Intake::add(std::vector<Group>& groups, const std::string& kind, const std::string& name,
                 std::uint64_t bytes) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.kind == kind; });
    if (group == groups.end()) group = groups.insert(groups.end(), Group{kind, 0, 0, {}});
    ++group->files;
    group->bytes += bytes;
    if (group->first.size() < names_shown) group->first.push_back(name);
}

void Intake::take(const std::string& kind, const std::string& name, std::uint64_t bytes) {
    add(taken_, kind, name, bytes);
}

void Intake::leave_out(const std::string& why, const std::string& name, std::uint64_t bytes) {
    add(left_out_, why, name, bytes);
}

Index Intake::left_out() const {
    Index count = 0;
    for (const Group& group : left_out_) count += group.files;
    return count;
}

std::string Intake::list(const std::vector<Group>& groups) {
    std::vector<std::string> parts;
    for (const Group& group : groups) {
        const bool more = group.files > static_cast<Index>(group.first.size());
        parts.push_back(fmt::format("{} x {} ({}{}), {}", group.files, group.kind,
                                    fmt::join(group.first, ", "), more ? ", ..." : "",
                                    size_text(group.bytes)));
    }
    return fmt::format("{}", fmt::join(parts, "; "));
}

std::string Intake::what_was_left_out() const {
    return list(left_out_);
}

std::vector<std::string> Intake::lines() const {
    std::vector<std::string> lines;
    if (!taken_.empty()) lines.push_back("taken: " + list(taken_));
    if (!left_out_.empty()) lines.push_back("left out: " + list(left_out_));
    lines.insert(lines.end(), notes_.begin(), notes_.end());
    return lines;
}

nlohmann::json Intake::record(const std::vector<Group>& groups) {
    nlohmann::json list = nlohmann::json::array();
    for (const Group& group : groups) {
        list.push_back(
            {{"kind", group.kind}, {"files", group.files}, {"bytes", group.bytes}, {"first", group.first}});
    }
    return list;
}

nlohmann::json Intake::record() const {
    return {{"taken", record(taken_)}, {"left_out", record(left_out_)}, {"notes", notes_}};
}

}  // namespace locus
