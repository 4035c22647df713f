#include "recipes/engine/config/axes.h"

#include <algorithm>

#include "framework/core/error.h"

namespace locus {

namespace {

constexpr std::size_t max_cells = 10'000;

bool is_grid(const Axis& axis) {
    return axis.name.find('.') != std::string::npos;
}

// A word names an axis of bundles; where its values are no bundles, a key has lost its section.
void check_axis_name(const Entry& entry, const Schema& schema) {
    check_variable(entry.key, entry.source);
    if (entry.key.find('.') != std::string::npos && !schema.is_block(schema.canonical(entry.key))) return;
    require(!schema.is_section(entry.key) && !schema.is_block(schema.canonical(entry.key)),
            "{}: vary.{}: expected a dotted key such as train.seed, found a section", entry.source.text(),
            entry.key);
    const auto& items = entry.value.items;
    const bool bundles = entry.value.type == Value::Type::list && !items.empty() &&
                         std::all_of(items.begin(), items.end(),
                                     [](const Value& item) { return item.type == Value::Type::map; });
    if (!bundles) schema.refuse_unknown(entry.key, entry.source);
}

/// `vary` on its way: axes as text for what goes together, and as overlays.
class Reading {
  public:
    explicit Reading(const Schema& schema) : schema_(schema) {}

    void add_arms(const Entry& entry) {
        Arms arms = read_arms(entry.value, schema_);
        ValueAxis names{"arm", {}};
        for (const Choice& arm : arms.choices) names.values.push_back({arm.label, {}, arm.source});
        product_.wheels.push_back({product_.axes.size()});
        product_.axes.push_back(std::move(names));
        variation_.axes.push_back({"arm", std::move(arms.choices)});
        variation_.parts = std::move(arms.parts);
    }

    void add_axis(const Entry& entry) {
        check_axis_name(entry, schema_);
        product_.wheels.push_back({product_.axes.size()});
        product_.axes.push_back(read_axis(entry, "vary", schema_));
    }

    void add_zip(const Value& value) {
        std::vector<Value> maps = {value};
        if (value.type == Value::Type::list) maps = value.items;
        for (const Value& map : maps)
            for (const Entry& entry : map.entries) check_axis_name(entry, schema_);
        read_zip(value, "vary.zip", schema_, product_);
    }

    Variation take(const Value* except, const Value* when, const std::string& place) {
        for (std::size_t i = variation_.axes.size(); i < product_.axes.size(); ++i)
            variation_.axes.push_back(layered(product_.axes[i]));
        check_names();
        check_grids();
        if (except != nullptr) product_.except = read_except(*except, "vary.except", product_);
        if (when != nullptr) add_when(*when);
        variation_.cells = combinations(product_, max_cells, place + ": vary");
        return std::move(variation_);
    }

  private:
    Axis layered(const ValueAxis& values) const {
        Axis axis{values.name, {}};
        for (const AxisValue& value : values.values) {
            for (const Entry& entry : value.changes) check_variable(entry.key, entry.source);
            axis.choices.push_back({value.name, flatten(value.changes, schema_), value.source});
        }
        return axis;
    }

    void add_when(const Value& when) {
        for (const Addition& addition : read_when(when, "vary.when", product_)) {
            for (const Entry& entry : addition.changes) check_variable(entry.key, entry.source);
            variation_.when.push_back({addition.condition, flatten(addition.changes, schema_)});
            for (const Axis& axis : variation_.axes) {
                const auto& values = variation_.when.back().overlay.values;
                const auto set = values.find(axis.name);
                require(set == values.end(), "{}: vary.when: {} is an axis of its own",
                        set == values.end() ? "" : set->second.source.text(), axis.name);
            }
        }
    }

    void check_names() const {
        for (std::size_t i = 0; i < variation_.axes.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                require(variation_.axes[i].name != variation_.axes[j].name, "{}: vary: {} is an axis twice",
                        variation_.axes[i].choices.front().source.text(), variation_.axes[i].name);
    }

    void check_grids() const {
        for (const Axis& grid : variation_.axes) {
            if (!is_grid(grid)) continue;
            for (const Axis& axis : variation_.axes)
                for (const Choice& choice : axis.choices)
                    if (&axis != &grid && choice.overlay.values.contains(grid.name))
                        fail(Failure::usage, "{}: {} varies here and in {} '{}' at {}",
                             grid.choices.front().source.text(), grid.name, axis.name, choice.label,
                             choice.source.text());
        }
    }

    const Schema& schema_;
    Product product_;
    Variation variation_;
};

void refuse_override(const Value& value, const std::string& path, const Axis& axis, const Choice& choice) {
    if (is_grid(axis))
        fail(Failure::usage, "{}: {} varies in this recipe ({}); choose its values by vary.{}=[{}]",
             value.source.text(), path, choice.source.text(), path, value.text);
    const std::string own = axis.name == "arm" ? fmt::format("; for this arm alone: vary.arm.{}.{}={}",
                                                             choice.label, path, value.text)
                                               : "";
    fail(Failure::usage, "{}: {} is what {} '{}' sets ({}){}", value.source.text(), path, axis.name,
         choice.label, choice.source.text(), own);
}

}  // namespace

Variation read_variation(const Value& vary, const std::string& path, const Schema& schema) {
    if (vary.type != Value::Type::map) refuse(vary, "vary", "a map: arm, and lists of values by dotted key");
    if (vary.entries.empty()) return {};
    Reading reading(schema);
    const Value *except = nullptr, *when = nullptr;
    for (const Entry& entry : vary.entries)
        if (entry.key == "arm") reading.add_arms(entry);
    bool any = false;
    for (const Entry& entry : vary.entries) {
        any = any || !is_rule_of_product(entry.key) || entry.key == "zip";
        if (entry.key == "zip")
            reading.add_zip(entry.value);
        else if (entry.key == "except")
            except = &entry.value;
        else if (entry.key == "when")
            when = &entry.value;
        else if (entry.key != "arm")
            reading.add_axis(entry);
    }
    require(any, "{}: vary: expected axes, found none", vary.source.text());
    return reading.take(except, when, path);
}

void override_arm(Variation& variation, const std::string& path, const Entry& entry, const Schema& schema) {
    const Axis* arms = variation.arms();
    std::size_t best = std::string::npos;
    std::vector<std::string> names;
    for (std::size_t i = 0; arms != nullptr && i < arms->choices.size(); ++i) {
        const std::string& name = arms->choices[i].label;
        names.push_back(name);
        if (!path.starts_with(name + ".")) continue;
        if (best == std::string::npos || name.size() > arms->choices[best].label.size()) best = i;
    }
    require(best != std::string::npos,
            "{}: expected vary.arm.NAME.key=value with one of the arms {}; vary.arm=[NAME, ...] chooses arms",
            entry.source.text(), names.empty() ? "(there are none)" : joined(names));
    Choice& arm = variation.axes.front().choices[best];
    const std::string key = path.substr(arm.label.size() + 1);
    check_variable(key, entry.source);
    lay_over(arm.overlay, flatten({{key, entry.source, entry.value}}, schema), schema);
}

void check_overrides(const Overlay& overrides, const Variation& variation) {
    for (const Axis& axis : variation.axes) {
        for (const Choice& choice : axis.choices) {
            for (const auto& [path, value] : overrides.values)
                if (choice.overlay.values.contains(path)) refuse_override(value, path, axis, choice);
            for (const std::string& block : overrides.blocks)
                for (const auto& [path, value] : choice.overlay.values)
                    require(path.rfind(block + ".", 0) != 0,
                            "command line: {} cannot be replaced whole: {} varies in this recipe ({})", block,
                            path, value.source.text());
        }
    }
    for (const ConditionalOverlay& addition : variation.when)
        for (const auto& [path, value] : overrides.values) {
            const auto set = addition.overlay.values.find(path);
            require(set == addition.overlay.values.end(), "{}: {} is what vary.when sets ({})",
                    value.source.text(), path,
                    set == addition.overlay.values.end() ? "" : set->second.source.text());
        }
}

}  // namespace locus
