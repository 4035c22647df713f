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

Entry& entry_of(std::vector<Entry>& entries, const std::string& key, const Source& source) {
    const auto place =
        std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.key == key; });
    if (place != entries.end()) return *place;
    entries.push_back({key, source, {}});
    return entries.back();
}

}  // namespace

std::vector<Entry> read_overrides(const std::vector<std::string>& texts, std::vector<Entry>& recipe) {
    std::vector<Entry> all, others;
    for (const std::string& text : texts) {
        Entry entry = read_override(text);
        for (const Entry& earlier : all)
            require(earlier.key != entry.key, "{}: {} is given twice, first as {}", entry.source.text(),
                    entry.key, earlier.source.text());
        all.push_back(entry);
        const bool varies = entry.key == "vary" || entry.key.rfind("vary.", 0) == 0;
        if (!varies) {
            others.push_back(std::move(entry));
            continue;
        }
        Entry& vary = entry_of(recipe, "vary", entry.source);
        if (entry.key == "vary") {
            vary.value = std::move(entry.value);
            continue;
        }
        if (vary.value.type == Value::Type::nothing) {
            vary.value.type = Value::Type::map;
            vary.value.source = entry.source;
        }
        if (vary.value.type != Value::Type::map) refuse(vary.value, "vary", "a map");
        entry_of(vary.value.entries, entry.key.substr(5), entry.source).value = std::move(entry.value);
    }
    return others;
}

}  // namespace locus
