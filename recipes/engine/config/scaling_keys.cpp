#include "recipes/engine/config/scaling_keys.h"

#include <algorithm>

#include "framework/core/error.h"
#include "models/spellings.h"
#include "recipes/engine/config/schema.h"
#include "recipes/engine/config/sections.h"

namespace locus {

namespace {

const std::string scaling_path = "encoding.scaling.";

using RuleOptions = std::map<std::string, std::vector<Option>>;

const Option* option_of(const std::vector<Option>& options, const std::string& name) {
    const auto place = std::find_if(options.begin(), options.end(),
                                    [&](const Option& option) { return option.name == name; });
    return place == options.end() ? nullptr : &*place;
}

Key rule_key(const std::string& kind, const std::vector<std::string>& rules) {
    return {scaling_path + "type",
            "rope_type: the rule that extends the context; see: locus list rules",
            [kind, rules](Draft& draft, const Value& value) {
                draft.recipe.encoding.options.set("scaling.type", read_rule(value, kind, rules));
            },
            [](const Recipe& recipe) -> std::optional<Value> {
                const std::string& rule = recipe.encoding.options.text("scaling.type");
                if (rule == "plain") return std::nullopt;
                return Value::scalar(rule);
            },
            "",
            choice_type(rules),
            Value::scalar("plain")};
}

// One key for all rules that have an option of this name.
Key rule_option_key(const Option& first, const RuleOptions& options) {
    const std::string name = first.name, path = scaling_path + name;
    return {path,
            first.doc,
            [name, path, options](Draft& draft, const Value& value) {
                Options& chosen = draft.recipe.encoding.options;
                const std::string& rule = chosen.text("scaling.type");
                const Option* option = option_of(options.at(rule), name);
                if (option == nullptr) {
                    std::vector<std::string> own = {"type"};
                    for (const Option& other : options.at(rule)) own.push_back(other.name);
                    fail(Failure::usage, "{}: {} does not belong to scaling type '{}', whose keys are: {}",
                         value.source.text(), path, rule, joined(own));
                }
                chosen.set("scaling." + name, read_option(value, path, *option));
            },
            [name](const Recipe& recipe) -> std::optional<Value> {
                const auto& values = recipe.encoding.options.values();
                const auto value = values.find("scaling." + name);
                if (value == values.end()) return std::nullopt;
                return written_option(value->second);
            },
            "",
            type_of(first),
            written_option(first.standard)};
}

}  // namespace

std::vector<Key> scaling_keys(const std::string& kind, const std::vector<std::string>& rules,
                              const RuleOptions& options) {
    std::vector<Key> keys = {rule_key(kind, rules)};
    for (const std::string& rule : rules) {
        for (const Option& option : options.at(rule)) {
            const bool known = std::any_of(keys.begin(), keys.end(), [&](const Key& key) {
                return key.path == scaling_path + option.name;
            });
            if (!known) keys.push_back(rule_option_key(option, options));
        }
    }
    return keys;
}

std::string canonical_scaling(const std::string& path) {
    static const std::vector<std::string> blocks = {"encoding.scaling", "encoding.rope_scaling",
                                                    "encoding.rope_parameters"};
    const auto& spellings = option_spellings();
    const std::string section = "encoding.";
    if (path.starts_with(section)) {
        const auto known = spellings.find(path.substr(section.size()));
        if (known != spellings.end() && !known->second.starts_with("scaling."))
            return section + known->second;
    }
    for (const std::string& block : blocks) {
        if (path == block) return blocks.front();
        if (!path.starts_with(block + ".")) continue;
        const std::string leaf = path.substr(block.size() + 1);
        const auto known = spellings.find(leaf);  // newer configs have those of the section within the block
        return known == spellings.end() ? scaling_path + leaf : section + known->second;
    }
    return path;
}

std::string read_rule(const Value& value, const std::string& kind, const std::vector<std::string>& rules) {
    Value named = value;
    if (const auto known = rule_spellings().find(named.text); known != rule_spellings().end())
        named.text = known->second;
    return rules[read_choice(named, scaling_path + "type of encoding " + kind, rules)];
}

}  // namespace locus
