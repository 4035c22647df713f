#include "recipes/engine/config/axes.h"

#include <algorithm>

#include "framework/core/error.h"

namespace locus {

bool fits_folder_name(char c) {
    return is_word(c) || c == '.' || c == '_' || c == '+' || c == '-' || c == '@';
}

namespace {

bool is_name(const std::string& text) {
    return !text.empty() && text[0] != '.' && std::all_of(text.begin(), text.end(), fits_folder_name);
}

// What an experiment asks and how its table looks is the same for all of its cells.
void check_variable(const std::string& key, const Source& source) {
    const std::string section = key.substr(0, key.find('.'));
    for (const char* fixed : {"question", "table", "vary", "cell"})
        require(section != fixed, "{}: '{}' cannot vary", source.text(), key);
}

Choice read_arm(const Value& value, const Schema& schema) {
    if (value.type != Value::Type::map)
        refuse(value, "vary.arm", "a map with a name and what the arm changes");
    Choice arm{"", {}, value.source};
    std::vector<Entry> changes;
    for (const Entry& entry : value.entries) {
        if (entry.key != "name") {
            check_variable(entry.key, entry.source);
            changes.push_back(entry);
            continue;
        }
        arm.label = read_text(entry.value, "vary.arm.name");
        require(is_name(arm.label),
                "{}: an arm's name names a folder: expected letters, digits and . _ + - @, found '{}'",
                entry.source.text(), arm.label);
    }
    require(!arm.label.empty(), "{}: vary.arm: an arm without a name", value.source.text());
    arm.layer = flatten(changes, schema);
    return arm;
}

Axis read_arms(const Value& list, const Schema& schema) {
    Axis axis{"arm", {}};
    for (const Value& value : read_list(list, "vary.arm", "[{name: nope, encoding: {kind: nope}}]")) {
        Choice arm = read_arm(value, schema);
        for (const Choice& other : axis.choices)
            require(other.label != arm.label, "{}: two arms are named '{}', the first at {}",
                    arm.source.text(), arm.label, other.source.text());
        axis.choices.push_back(std::move(arm));
    }
    return axis;
}

Axis read_grid(const Entry& written, const Schema& schema) {
    Entry entry = written;
    entry.key = schema.canonical(written.key);
    check_variable(entry.key, entry.source);
    require(!schema.is_section(entry.key),
            "{}: vary.{}: expected a dotted key such as train.seed, found a section", entry.source.text(),
            entry.key);
    if (schema.find(entry.key) == nullptr) schema.refuse_unknown(entry.key, entry.source);
    Axis axis{entry.key, {}};
    for (const Value& value : read_list(entry.value, "vary." + entry.key, "[0, 1, 2]")) {
        if (value.type != Value::Type::scalar) refuse(value, "vary." + entry.key, "one value");
        axis.choices.push_back(
            {value.text, flatten({{entry.key, value.source, value}}, schema), value.source});
    }
    return axis;
}

// The choice of `axis` that sets `path`, or nullptr.
const Choice* setter(const Axis& axis, const std::string& path) {
    for (const Choice& choice : axis.choices)
        if (choice.layer.values.contains(path)) return &choice;
    return nullptr;
}

}  // namespace

std::vector<Axis> read_axes(const Value& vary, const Schema& schema) {
    if (vary.type != Value::Type::map) refuse(vary, "vary", "a map: arm, and lists of values by dotted key");
    std::vector<Axis> axes;
    for (const Entry& entry : vary.entries)
        if (entry.key == "arm") axes.push_back(read_arms(entry.value, schema));
    const bool has_arms = !axes.empty();
    for (const Entry& entry : vary.entries) {
        if (entry.key == "arm") continue;
        Axis grid = read_grid(entry, schema);
        const Choice* arm = has_arms ? setter(axes.front(), grid.name) : nullptr;
        if (arm != nullptr)
            fail(Failure::usage, "{}: {} varies here and in arm '{}' at {}", entry.source.text(), grid.name,
                 arm->label, arm->source.text());
        axes.push_back(std::move(grid));
    }
    return axes;
}

void check_overrides(const Layer& overrides, const std::vector<Axis>& axes) {
    for (const Axis& axis : axes) {
        for (const auto& [path, value] : overrides.values) {
            const Choice* choice = setter(axis, path);
            if (choice == nullptr) continue;
            require(axis.name == "arm",
                    "{}: {} varies in this recipe ({}); choose its values by vary.{}=[{}]",
                    value.source.text(), path, choice->source.text(), path, value.text);
            fail(Failure::usage, "{}: {} is what arm '{}' sets ({})", value.source.text(), path,
                 choice->label, choice->source.text());
        }
        for (const std::string& block : overrides.blocks)
            for (const Choice& choice : axis.choices)
                for (const auto& [path, value] : choice.layer.values)
                    require(path.rfind(block + ".", 0) != 0,
                            "command line: {} cannot be replaced whole: {} varies in this recipe ({})", block,
                            path, value.source.text());
    }
}

}  // namespace locus
