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
    {"data.chunks", "data.positions"},
    {"data.max_position", "data.positions"},
    {"data.documents", "data.corpus"},
    {"data.document_length", "data.corpus"},
    {"data.generator_seed", "data.corpus"},
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

namespace {

/// Keys, or whole sections, without some of their keys.
struct Followed {
    std::vector<std::string> names, but;
};

// Of the text: how windows are placed in it decides neither what is scored nor, but for packing, the blocks'
// order.
const std::vector<std::string> placing = {"data.positions", "data.max_position", "data.chunks"};

Followed followed_by(SharedFact fact, bool begins_with_another) {
    switch (fact) {
        case SharedFact::data_order:
            return {{"data", "train.seed", "train.tokens", "train.batch_tokens", "from.seen_tokens"},
                    placing};
        case SharedFact::evaluation_items: {
            Followed followed{{"data", "evaluate"}, placing};
            followed.but.emplace_back("data.block");
            return followed;
        }
        case SharedFact::initial_values:
            if (begins_with_another)
                return {{"from.run", "from.arm", "from.step", "model", "train.seed"}, {}};
            return {{"from.run", "from.arm", "model", "data.tokenizer", "train.seed"}, {}};
        case SharedFact::training_tokens:
            break;
    }
    return {{"train.tokens", "train.steps", "train.batch_tokens"}, {}};
}

bool lies_in_any(const std::string& key, const std::vector<std::string>& names) {
    return std::any_of(names.begin(), names.end(), [&](const auto& name) { return lies_in(key, name); });
}

}  // namespace

std::vector<std::string> keys_followed(SharedFact fact, const RunFolder& run) {
    const bool begins_with_another = run.recipe.contains("from.run") || run.recipe.contains("from.arm");
    const Followed followed = followed_by(fact, begins_with_another);
    std::vector<std::string> values;
    for (const auto& [key, texts] : run.recipe)
        if (lies_in_any(key, followed.names) && !lies_in_any(key, followed.but))
            values.push_back(key + ": " + run.value(key));
    // Packing joins documents before they are cut into blocks; other positions leave the blocks as they are.
    if (fact == SharedFact::data_order && run.value("data.positions") == "packed")
        values.emplace_back("packed");
    // A run that begins with another arm does so at the same place of every grid.
    if (fact == SharedFact::initial_values && begins_with_another)
        for (const Coordinate& at : run.cell)
            if (at.axis != "arm") values.push_back(at.axis + ": " + at.value);
    return values;
}

Declared declared_of(const TableSource& source) {
    Declared declared;
    for (const RunFolder& run : source.runs) {
        for (const Coordinate& at : run.cell) {
            if (at.axis == "arm") declared.arms = true;
            declared.keys.insert(at.axis);
        }
        if (!run.manifest.varied) continue;
        declared.arms_known = true;
        declared.keys.insert(run.manifest.varied->begin(), run.manifest.varied->end());
    }
    return declared;
}

}  // namespace locus
