#include "recipes/engine/config/arms.h"

#include <algorithm>
#include <map>

#include "framework/core/error.h"
#include "recipes/engine/config/product.h"

namespace locus {

bool fits_folder_name(char c) {
    return is_word(c) || c == '.' || c == '_' || c == '+' || c == '-' || c == '@';
}

namespace {

constexpr std::size_t max_arms = 10'000;

bool is_name(const std::string& text) {
    return !text.empty() && text[0] != '.' && std::all_of(text.begin(), text.end(), fits_folder_name);
}

/// An arm, or a product of arms, as it is written.
struct WrittenArm {
    std::optional<Value> name;
    std::vector<Entry> changes;
    Product product;
    bool is_product = false;
};

WrittenArm read_arm(const Value& value, const Schema& schema) {
    if (value.type != Value::Type::map)
        refuse(value, "vary.arm", "a map with a name and what the arm changes");
    WrittenArm arm;
    const Value *except = nullptr, *when = nullptr;
    for (const Entry& entry : value.entries) {
        if (entry.key == "name") {
            arm.name = entry.value;
        } else if (entry.key == "product") {
            arm.is_product = true;
            if (entry.value.type != Value::Type::map)
                refuse(entry.value, "vary.arm.product", "a map of axes");
            for (const Entry& axis : entry.value.entries) {
                if (axis.key == "zip") {
                    read_zip(axis.value, "vary.arm.product.zip", schema, arm.product);
                    continue;
                }
                check_variable(axis.key, axis.source);
                arm.product.wheels.push_back({arm.product.axes.size()});
                arm.product.axes.push_back(read_axis(axis, "vary.arm.product", schema));
            }
        } else if (entry.key == "except") {
            except = &entry.value;
        } else if (entry.key == "when") {
            when = &entry.value;
        } else {
            check_variable(entry.key, entry.source);
            arm.changes.push_back(entry);
        }
    }
    require(arm.is_product || (except == nullptr && when == nullptr),
            "{}: vary.arm: except and when belong to a `product`", value.source.text());
    require(!arm.is_product || !arm.product.axes.empty(), "{}: vary.arm.product: expected axes, found none",
            value.source.text());
    if (except != nullptr) arm.product.except = read_except(*except, "vary.arm.except", arm.product);
    if (when != nullptr) arm.product.when = read_when(*when, "vary.arm.when", arm.product);
    return arm;
}

using Names = std::map<std::string, std::string>;  // of values, by axis

std::string filled(const std::string& text, const Names& names, const Source& source) {
    std::string out;
    std::size_t from = 0;
    for (std::size_t open; (open = text.find('{', from)) != std::string::npos;) {
        const std::size_t close = text.find('}', open);
        const std::string axis = text.substr(open + 1, close == std::string::npos ? close : close - open - 1);
        const auto name = names.find(axis);
        if (close == std::string::npos || name == names.end()) {
            std::vector<std::string> known;
            for (const auto& [known_axis, value] : names) known.push_back("{" + known_axis + "}");
            fail(Failure::usage, "{}: '{}': expected {} within braces", source.text(), text, joined(known));
        }
        out += text.substr(from, open - from) + name->second;
        from = close + 1;
    }
    return out + text.substr(from);
}

Value filled(Value value, const Names& names) {
    value.text = filled(value.text, names, value.source);
    for (Value& item : value.items) item = filled(std::move(item), names);
    for (Entry& entry : value.entries) entry.value = filled(std::move(entry.value), names);
    return value;
}

void lay_changes(Overlay& overlay, std::vector<Entry> changes, const Names& names, const Schema& schema) {
    for (Entry& entry : changes) {
        check_variable(entry.key, entry.source);
        entry.value = filled(std::move(entry.value), names);
    }
    lay_over(overlay, flatten(changes, schema), schema);
}

Choice arm_of(const WrittenArm& arm, const std::vector<std::size_t>& combination, const Source& source,
              const Schema& schema) {
    Choice choice{"", {}, source};
    Names names;
    for (std::size_t axis = 0; axis < combination.size(); ++axis) {
        const ValueAxis& values = arm.product.axes[axis];
        const std::string& name = values.values[combination[axis]].name;
        names[values.name] = name;
        choice.label += (choice.label.empty() || name.empty() ? "" : "-") + name;
    }
    if (arm.name) {
        const std::string written = read_text(*arm.name, "vary.arm.name");
        choice.label = arm.is_product ? filled(written, names, arm.name->source) : written;
    }
    require(!choice.label.empty(), "{}: vary.arm: an arm without a name", source.text());
    require(is_name(choice.label),
            "{}: an arm's name names a folder: expected letters, digits and . _ + - @, found '{}'",
            arm.name ? arm.name->source.text() : source.text(), choice.label);
    if (!arm.is_product) {
        choice.overlay = flatten(arm.changes, schema);
        return choice;
    }
    try {
        lay_changes(choice.overlay, arm.changes, names, schema);
        for (std::size_t axis = 0; axis < combination.size(); ++axis)
            lay_changes(choice.overlay, arm.product.axes[axis].values[combination[axis]].changes, names,
                        schema);
        for (const Addition& addition : arm.product.when)
            if (addition.condition.holds(combination))
                lay_changes(choice.overlay, addition.changes, names, schema);
    } catch (const Error& error) {
        fail(error.kind(), "{} (arm {})", error.what(), choice.label);
    }
    return choice;
}

void add_parts(std::vector<ArmPart>& parts, const Product& product) {
    for (const ValueAxis& axis : product.axes) {
        const auto same = [&](const ArmPart& part) { return part.name == axis.name; };
        auto part = std::find_if(parts.begin(), parts.end(), same);
        if (part == parts.end()) part = parts.insert(part, {axis.name, {}});
        for (const AxisValue& value : axis.values)
            if (std::count(part->values.begin(), part->values.end(), value.name) == 0)
                part->values.push_back(value.name);
    }
}

}  // namespace

// What an experiment asks and how its table looks is the same for all of its cells.
void check_variable(const std::string& key, const Source& source) {
    const std::string section = key.substr(0, key.find('.'));
    for (const char* fixed : {"question", "table", "vary", "cell", "base"})
        require(section != fixed, "{}: '{}' cannot vary", source.text(), key);
}

Arms read_arms(const Value& list, const Schema& schema) {
    Arms arms;
    std::map<std::string, Source> seen;
    for (const Value& value : read_list(list, "vary.arm", "[{name: nope, encoding: {kind: nope}}]")) {
        const WrittenArm arm = read_arm(value, schema);
        const auto all = arm.is_product
                             ? combinations(arm.product, max_arms, value.source.text() + ": vary.arm")
                             : std::vector<std::vector<std::size_t>>(1);
        for (const auto& combination : all) {
            Choice choice = arm_of(arm, combination, value.source, schema);
            const auto [place, is_new] = seen.emplace(choice.label, choice.source);
            require(is_new, "{}: two arms are named '{}', the first at {}", choice.source.text(),
                    choice.label, place->second.text());
            arms.choices.push_back(std::move(choice));
        }
        add_parts(arms.parts, arm.product);
    }
    return arms;
}

}  // namespace locus
