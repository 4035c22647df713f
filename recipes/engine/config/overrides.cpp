#include "recipes/engine/config/overrides.h"

#include <algorithm>

#include "framework/core/error.h"
#include "recipes/engine/config/yaml.h"

namespace locus {

namespace {

void set_source(Value& value, const Source& source) {
    value.source = source;
    for (Value& item : value.items) set_source(item, source);
    for (Entry& entry : value.entries) {
        entry.source = source;
        set_source(entry.value, source);
    }
}

Entry read_override(const std::string& text) {
    const auto unsound = unsound_in(text);
    require(!unsound, "command line: expected key=value in UTF-8, found {}", unsound.value_or(""));
    const std::size_t equals = text.find('=');
    require(equals != std::string::npos && equals > 0,
            "command line: expected key=value such as train.lr=3e-4, found '{}'", text);
    const Source source{"command line: " + text};
    const std::string written = text.substr(equals + 1);
    const bool is_yaml = !written.empty() && (written[0] == '[' || written[0] == '{');
    Value value = is_yaml ? read_yaml(written, source.place) : Value::scalar(written);
    set_source(value, source);
    return {text.substr(0, equals), source, std::move(value)};
}

bool names_arms(const Value& value) {
    return value.type == Value::Type::scalar ||
           (value.type == Value::Type::list && !value.items.empty() &&
            std::all_of(value.items.begin(), value.items.end(),
                        [](const Value& item) { return item.type == Value::Type::scalar; }));
}

}  // namespace

Overrides read_overrides(const std::vector<std::string>& texts) {
    const std::string arms = "vary.arm.", axes = "vary.";
    Overrides overrides;
    std::vector<Entry> all;
    for (const std::string& text : texts) {
        Entry entry = read_override(text);
        for (const Entry& earlier : all)
            require(earlier.key != entry.key, "{}: {} is given twice, first as {}", entry.source.text(),
                    entry.key, earlier.source.text());
        all.push_back(entry);
        if (entry.key == "vary") {
            overrides.vary = std::move(entry.value);
        } else if (entry.key == "vary.arm" && names_arms(entry.value)) {
            overrides.chosen = std::move(entry.value);
        } else if (entry.key.starts_with(arms)) {
            entry.key = entry.key.substr(arms.size());
            overrides.arms.push_back(std::move(entry));
        } else if (entry.key.starts_with(axes)) {
            entry.key = entry.key.substr(axes.size());
            overrides.axes.push_back(std::move(entry));
        } else {
            overrides.keys.push_back(std::move(entry));
        }
    }
    return overrides;
}

}  // namespace locus
