#include "recipes/engine/search/found_encoding.h"

#include <fmt/ranges.h>

#include "models/encoding.h"
#include "models/scaling.h"
#include "recipes/engine/config/sections.h"
#include "recipes/engine/search/search_genes.h"

namespace locus {

namespace {

// The recipe's encoding with these options, and its own values for all but the scaling.
EncodingOptions with_own_options(const Recipe& recipe, const std::vector<Option>& options) {
    EncodingOptions encoding{recipe.encoding.kind, Options(options)};
    for (const auto& [name, value] : recipe.encoding.options.values())
        if (!name.starts_with("scaling.")) encoding.options.set(name, value);
    return encoding;
}

const EncodingEntry& entry_of(const Recipe& recipe) {
    return EncodingRegistry::instance().at(recipe.encoding.kind);
}

void set_scaling(EncodingOptions& encoding, const RuleChoices& own) {
    for (const auto& [name, value] : own) encoding.options.set("scaling." + name, value);
}

}  // namespace

EncodingOptions without_rule(const Recipe& recipe) {
    return with_own_options(recipe, options_under(entry_of(recipe)));
}

EncodingOptions under_rule(const Recipe& recipe, const std::string& rule, const RuleChoices& own,
                           Index original) {
    EncodingOptions encoding = with_own_options(recipe, options_under(entry_of(recipe), rule));
    set_scaling(encoding, own);
    resolve_scaling(encoding.options, original);
    return encoding;
}

EncodingOptions under_found(const Recipe& recipe, const FoundFactors& found, Index original) {
    const RuleChoices own = searched().of_found(found);
    if (!found.within) return under_rule(recipe, searched_rule(), own, original);
    // The long factors of the model stay, and with them its factor, attention and n-hat.
    EncodingOptions encoding = recipe.encoding;
    set_scaling(encoding, own);
    return encoding;
}

std::string scaling_text(const EncodingOptions& found) {
    std::string text = fmt::format("encoding.scaling:\n  type: {}\n", searched_rule());
    const Scaling scaling = scaling_of(found.options);
    for (const Option& option : searched().options) {
        const OptionValue& value = scaling.options.values().at(option.name);
        const auto written = written_option(value);
        if (value == option.standard || !written) continue;
        std::vector<std::string> items;
        for (const Value& item : written->items) items.push_back(item.text);
        const bool is_list = written->type == Value::Type::list;
        text += fmt::format("  {}: {}\n", option.name,
                            is_list ? fmt::format("[{}]", fmt::join(items, ", ")) : written->text);
    }
    return text;
}

}  // namespace locus
