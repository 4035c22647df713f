#include "recipes/engine/config/experiment_text.h"

#include <algorithm>

#include "framework/core/error.h"
#include "recipes/engine/config/overrides.h"

namespace locus {

namespace {

// `cell:` of a resolved recipe.
std::vector<Coordinate> read_cell(const Value& value, const Schema& schema) {
    if (value.type != Value::Type::map) refuse(value, "cell", "a map of what varies");
    std::vector<Coordinate> cell;
    for (const Entry& entry : value.entries) {
        const bool is_key = entry.key.find('.') != std::string::npos;  // else arm, or another axis of bundles
        if (is_key && schema.find(entry.key) == nullptr) schema.refuse_unknown(entry.key, entry.source);
        cell.push_back({entry.key, read_text(entry.value, "cell." + entry.key)});
    }
    return cell;
}

void replace_axis(Value& vary, Entry axis) {
    if (vary.type == Value::Type::nothing) vary = {Value::Type::map, "", {}, {}, axis.source};
    if (vary.type != Value::Type::map) refuse(vary, "vary", "a map");
    const auto same = [&](const Entry& entry) { return entry.key == axis.key; };
    const auto place = std::find_if(vary.entries.begin(), vary.entries.end(), same);
    if (place != vary.entries.end())
        place->value = std::move(axis.value);
    else
        vary.entries.push_back(std::move(axis));
}

std::vector<std::string> chosen_arms(const Value& value, const Variation& variation) {
    std::vector<std::string> known, chosen;
    if (const Axis* arms = variation.arms())
        for (const Choice& arm : arms->choices) known.push_back(arm.label);
    std::vector<Value> names = {value};
    if (value.type == Value::Type::list) names = value.items;
    for (const Value& name : names) {
        if (std::count(known.begin(), known.end(), name.text) == 0)
            refuse(name, "vary.arm",
                   known.empty() ? "a recipe with arms" : "names of its arms: " + joined(known));
        chosen.push_back(name.text);
    }
    return chosen;
}

// All types that do not depend on the kind of encoding, which an arm may choose.
void check_types(const Overlay& overlay, const Schema& schema) {
    for (const auto& [path, value] : overlay.values) {
        const Key* key = schema.find(path, "");
        if (key == nullptr) continue;
        Draft scratch;
        key->read(scratch, value);
    }
}

}  // namespace

ExperimentText read_experiment(const RecipeFile& file, const std::vector<std::string>& texts,
                               const Schema& schema) {
    ExperimentText experiment{file.path, {}, {}, {}, {}, {}};
    RecipeText recipe = read_text(file, schema);
    Overrides overrides = read_overrides(texts);
    experiment.base = std::move(recipe.overlay);
    experiment.overrides = flatten(overrides.keys, schema);
    Value vary = overrides.vary.value_or(recipe.vary.value_or(Value{}));
    for (Entry& axis : overrides.axes) replace_axis(vary, std::move(axis));
    const bool varies = recipe.vary || overrides.vary || !overrides.axes.empty();
    if (varies) experiment.variation = read_variation(vary, file.path, schema);
    for (const Entry& arm : overrides.arms) override_arm(experiment.variation, arm.key, arm, schema);
    if (overrides.chosen) experiment.chosen = chosen_arms(*overrides.chosen, experiment.variation);
    check_overrides(experiment.overrides, experiment.variation);
    if (recipe.cell) {
        require(experiment.variation.axes.empty(), "{}: cell: a recipe that varies has no cell",
                recipe.cell->source.text());
        experiment.cell = read_cell(*recipe.cell, schema);
    }
    check_types(experiment.base, schema);
    check_types(experiment.overrides, schema);
    return experiment;
}

}  // namespace locus
