#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "data/task.h"
#include "framework/io/own_files.h"
#include "models/encoding.h"
#include "models/frequency_rule.h"
#include "recipes/engine/config/key_list.h"
#include "recipes/engine/config/resolve.h"
#include "recipes/engine/config/sections.h"
#include "recipes/engine/config/vary.h"
#include "recipes/engine/measure/metric.h"
#include "recipes/engine/measure/policy.h"
#include "recipes/engine/run/workbench.h"
#include "scripts/commands/arguments.h"
#include "scripts/commands/output.h"

namespace locus {

namespace {

struct Listed {
    std::string name, doc;
    std::vector<Option> options = {};
    std::vector<Index> axes = {};           // of the positions that an encoding reads
    std::vector<std::string> scaling = {};  // the rules that it may be scaled by
};

template <typename Entries>
std::vector<Listed> entries_of(const Entries& registry) {
    std::vector<Listed> listed;
    for (const std::string& name : registry.names()) {
        listed.push_back({name, registry.at(name).doc, registry.at(name).options});
        if constexpr (requires { registry.at(name).axes; }) {
            listed.back().axes = registry.at(name).axes;
            listed.back().scaling = scaling_rules(registry.at(name));
        }
    }
    return listed;
}

/// A preset with every option that it resolves to.
struct ListedPreset {
    std::string name, doc, kind;
    Options options;
};

std::vector<ListedPreset> presets() {
    std::vector<ListedPreset> listed;
    for (const Preset& preset : standard_presets()) {
        Overlay overlay;
        overlay.values["encoding.kind"] = Value::scalar(preset.name);
        listed.push_back({preset.name, preset.doc, preset.kind(),
                          draft_of(overlay, recipe_schema()).recipe.encoding.options});
    }
    return listed;
}

std::vector<Listed> recipes() {
    std::vector<Listed> listed;
    const std::filesystem::path folder = find_own_folder("recipes", "recipes");
    if (folder.empty()) return listed;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.path().extension() != ".yaml") continue;
        std::string question;
        for (const Entry& item : read_recipe(entry.path().string()).root.entries) {
            if (item.key == "question") question = item.value.text;
        }
        if (question.empty()) continue;  // a base of others
        listed.push_back({"recipes/" + std::filesystem::relative(entry.path(), folder).string(), question});
    }
    std::sort(listed.begin(), listed.end(), [](const Listed& a, const Listed& b) { return a.name < b.name; });
    return listed;
}

std::vector<Listed> protocols() {
    std::vector<Listed> listed;
    for (const std::string& name : ProtocolRegistry::instance().names()) {
        const ProtocolPolicy& policy = policy_of(name);
        const std::string form =
            policy.argument().empty() ? "" : fmt::format("{}[:{}]: ", name, policy.argument());
        listed.push_back(
            {name, fmt::format("{}{}; along {}; {}", form, policy.doc(), fmt::join(policy.axes(), ", "),
                               fmt::join(policy.metrics(), ", "))});
    }
    return listed;
}

std::vector<Listed> metrics() {
    std::vector<Listed> listed;
    for (const std::string& name : MetricRegistry::instance().names()) {
        const Metric& metric = MetricRegistry::instance().at(name);
        listed.push_back({name, fmt::format("{}; in {}; {} is better", metric.definition, metric.unit,
                                            metric.higher_is_better ? "higher" : "lower")});
    }
    return listed;
}

std::string text_of(const OptionValue& value) {
    return std::visit(
        [](const auto& held) {
            if constexpr (std::is_same_v<std::decay_t<decltype(held)>, bool>)
                return std::string(held ? "true" : "false");
            else if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::vector<double>>)
                return fmt::format("[{}]", fmt::join(held, ", "));
            else
                return fmt::format("{}", held);
        },
        value);
}

nlohmann::json to_json(const std::vector<Listed>& listed) {
    auto json = nlohmann::json::array();
    for (const Listed& entry : listed) {
        auto options = nlohmann::json::array();
        for (const Option& option : entry.options) {
            const KeyType type = type_of(option);
            options.push_back({{"name", option.name},
                               {"type", type.name},
                               {"bounds", type.bounds},
                               {"default", text_of(option.standard)},
                               {"doc", option.doc}});
        }
        json.push_back({{"name", entry.name}, {"doc", entry.doc}, {"options", options}});
        if (!entry.axes.empty()) json.back()["axes"] = entry.axes;
        if (!entry.scaling.empty()) json.back()["scaling"] = entry.scaling;
    }
    return json;
}

nlohmann::json to_json(const std::vector<ListedPreset>& listed) {
    auto json = nlohmann::json::array();
    for (const ListedPreset& preset : listed) {
        auto options = nlohmann::json::object();
        for (const auto& [name, value] : preset.options.values())
            std::visit([&](const auto& held) { options[name] = held; }, value);
        json.push_back(
            {{"name", preset.name}, {"doc", preset.doc}, {"kind", preset.kind}, {"options", options}});
    }
    return json;
}

void print(const std::vector<ListedPreset>& listed) {
    for (const ListedPreset& preset : listed) {
        put("{:<20} {}\n", preset.name, preset.doc);
        for (const auto& [name, value] : preset.options.values()) put("    {}: {}\n", name, text_of(value));
    }
}

void print(const std::vector<Listed>& listed) {
    for (const Listed& entry : listed) {
        put("{:<18} {}\n", entry.name, entry.doc);
        for (const Option& option : entry.options) {
            put("    {} = {}: {}\n", option.name, text_of(option.standard), option.doc);
        }
        if (!entry.scaling.empty()) put("    scaling.type = plain: {}\n", fmt::join(entry.scaling, ", "));
    }
}

nlohmann::json to_json(const std::vector<ListedKey>& listed) {
    auto json = nlohmann::json::array();
    for (const ListedKey& key : listed) {
        json.push_back({{"key", key.path},
                        {"type", key.type.name},
                        {"bounds", key.type.bounds},
                        {"default", key.standard.empty() ? nlohmann::json() : nlohmann::json(key.standard)},
                        {"doc", key.doc},
                        {"kinds", key.kinds}});
        if (!key.instead_of.empty()) json.back()["instead_of"] = key.instead_of;
    }
    return json;
}

void print(const std::vector<ListedKey>& listed) {
    for (const ListedKey& key : listed) {
        put("{}: {}{}{}\n    {}\n", key.path, key.type.name,
            key.type.bounds.empty() ? "" : fmt::format(", {}", key.type.bounds),
            key.standard.empty() ? "" : fmt::format("; default {}", key.standard), key.doc);
        if (!key.kinds.empty()) put("    of encoding {}\n", fmt::join(key.kinds, ", "));
        if (!key.instead_of.empty()) put("    instead of {}\n", key.instead_of);
    }
}

template <typename T>
void show(const std::vector<T>& listed, bool as_json) {
    if (as_json)
        put("{}\n", to_json(listed).dump(2));
    else
        print(listed);
}

}  // namespace

int list_command(const Words& words) {
    const Arguments arguments("list encodings|rules|tasks|presets|recipes|protocols|metrics|keys [SECTION]",
                              words, {{"json", "one JSON document"}});
    if (arguments.help()) return 0;
    const bool as_json = arguments.has("json");
    const Words& asked = arguments.plain();
    if (!asked.empty() && asked.front() == "keys") {
        require(asked.size() <= 2, "list keys: expected at most one section, found {}", asked.size() - 1);
        show(list_keys(recipe_schema(), asked.size() == 2 ? asked[1] : ""), as_json);
        return 0;
    }
    const std::string what = arguments.subject(
        "kind of thing: encodings, rules, tasks, presets, recipes, protocols, metrics or keys");
    if (what == "encodings")
        show(entries_of(EncodingRegistry::instance()), as_json);
    else if (what == "rules")
        show(entries_of(FrequencyRegistry::instance()), as_json);
    else if (what == "recipes")
        show(recipes(), as_json);
    else if (what == "presets")
        show(presets(), as_json);
    else if (what == "protocols")
        show(protocols(), as_json);
    else if (what == "metrics")
        show(metrics(), as_json);
    else if (what == "tasks")
        show(entries_of(TaskRegistry::instance()), as_json);
    else
        fail(Failure::usage,
             "list: expected encodings, rules, tasks, presets, recipes, protocols, metrics or keys, found "
             "'{}'",
             what);
    return 0;
}

}  // namespace locus
