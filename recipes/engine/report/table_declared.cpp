#include "recipes/engine/report/table_declared.h"

#include <algorithm>
#include <map>

namespace locus {

namespace {

// Values that follow from another one unless the recipe sets them.
const std::multimap<std::string, std::string> derived = {
    {"train.min_lr", "train.lr"},
    {"train.warmup_steps", "train.tokens"},
    {"train.warmup_steps", "train.steps"},
    {"train.warmup_steps", "train.batch_tokens"},
    {"train.warmup_steps", "train.warmup"},
    {"train.tokens", "train.steps"},
    {"train.tokens", "train.batch_tokens"},
    {"model.kv_heads", "model.heads"},
    {"from.step", "from.arm"},
    {"from.original_length", "from.arm"},
    {"from.seen_tokens", "from.arm"},
    {"from.step", "from.run"},
    {"from.original_length", "from.run"},
    {"from.seen_tokens", "from.run"},
};

// What a run takes from another one, outside of this experiment; an arm of it has declared its own.
bool is_inherited(const std::string& key) {
    return key == "train.length" || key.starts_with("model.") || key.starts_with("encoding.") ||
           key.starts_with("mask.");
}

// Whether `key` is `section` or lies in it.
bool lies_in(const std::string& key, const std::string& section) {
    return key == section || key.starts_with(section + ".");
}

}  // namespace

bool Declared::holds(const std::string& key) const {
    const auto covers = [&](const std::string& name) {
        return std::any_of(keys.begin(), keys.end(),
                           [&](const std::string& declared) { return lies_in(name, declared); });
    };
    if (is_inherited(key) && covers("from.run")) return true;
    const auto [first, last] = derived.equal_range(key);
    return covers(key) || std::any_of(first, last, [&](const auto& entry) { return covers(entry.second); });
}

bool Declared::any_of_sections(const std::vector<std::string>& parts) const {
    return std::any_of(keys.begin(), keys.end(), [&](const std::string& key) {
        return std::any_of(parts.begin(), parts.end(),
                           [&](const std::string& part) { return lies_in(key, part); });
    });
}

Declared declared_of(const TableSource& source) {
    Declared declared;
    for (const RunFolder& run : source.runs) {
        for (const Coordinate& at : run.cell) {
            if (at.axis == "arm") declared.arms = true;
            declared.keys.insert(at.axis);
        }
        const auto varied = run.manifest.find("varied");
        if (varied == run.manifest.end() || !varied->is_array()) continue;
        declared.arms_known = true;
        for (const auto& key : *varied)
            if (key.is_string()) declared.keys.insert(key.get<std::string>());
    }
    return declared;
}

}  // namespace locus
