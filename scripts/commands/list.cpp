#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "models/encoding.h"
#include "models/frequency_rule.h"
#include "recipes/engine/vary.h"
#include "scripts/commands/arguments.h"

namespace locus {

namespace {

struct Listed {
    std::string name, doc;
    std::vector<Option> options = {};
};

template <typename Entries>
std::vector<Listed> entries_of(const Entries& registry) {
    std::vector<Listed> listed;
    for (const std::string& name : registry.names()) {
        listed.push_back({name, registry.at(name).doc, registry.at(name).options});
    }
    return listed;
}

std::vector<Listed> recipes() {
    std::vector<Listed> listed;
    const std::filesystem::path folder = LOCUS_RECIPES;
    if (!std::filesystem::exists(folder)) return listed;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.path().extension() != ".yaml") continue;
        std::string question;
        for (const Entry& item : read_recipe(entry.path().string()).root.entries) {
            if (item.key == "question") question = item.value.text;
        }
        listed.push_back({"recipes/" + std::filesystem::relative(entry.path(), folder).string(), question});
    }
    std::sort(listed.begin(), listed.end(), [](const Listed& a, const Listed& b) { return a.name < b.name; });
    return listed;
}

std::string standard_of(const Option& option) {
    return std::visit(
        [](const auto& value) {
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, bool>)
                return std::string(value ? "true" : "false");
            else
                return fmt::format("{}", value);
        },
        option.standard);
}

nlohmann::json to_json(const std::vector<Listed>& listed) {
    auto json = nlohmann::json::array();
    for (const Listed& entry : listed) {
        auto options = nlohmann::json::array();
        for (const Option& option : entry.options) {
            options.push_back({{"name", option.name}, {"default", standard_of(option)}, {"doc", option.doc}});
        }
        json.push_back({{"name", entry.name}, {"doc", entry.doc}, {"options", options}});
    }
    return json;
}

void print(const std::vector<Listed>& listed) {
    for (const Listed& entry : listed) {
        fmt::print("{:<12} {}\n", entry.name, entry.doc);
        for (const Option& option : entry.options) {
            fmt::print("    {} = {}: {}\n", option.name, standard_of(option), option.doc);
        }
    }
}

}  // namespace

int list_command(const Words& words) {
    const Arguments arguments("list encodings|rules|tasks|presets|recipes", words,
                              {{"json", "one JSON document"}});
    if (arguments.help()) return 0;
    const std::string what = arguments.subject("kind of thing: encodings, rules, tasks, presets or recipes");
    std::vector<Listed> listed;
    if (what == "encodings")
        listed = entries_of(EncodingRegistry::instance());
    else if (what == "rules")
        listed = entries_of(FrequencyRegistry::instance());
    else if (what == "recipes")
        listed = recipes();
    else
        require(what == "tasks" || what == "presets",
                "list: expected encodings, rules, tasks, presets or recipes, found '{}'", what);
    if (arguments.has("json"))
        fmt::print("{}\n", to_json(listed).dump(2));
    else
        print(listed);
    return 0;
}

}  // namespace locus
