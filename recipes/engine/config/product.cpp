#include "recipes/engine/config/product.h"

#include <algorithm>

#include "framework/core/error.h"
#include "recipes/engine/config/ranges.h"

namespace locus {

namespace {

std::vector<std::string> names_of(const ValueAxis& axis) {
    std::vector<std::string> names;
    for (const AxisValue& value : axis.values) names.push_back(value.name);
    return names;
}

// As text, or as the same number.
bool means(const std::string& written, const std::string& name) {
    const auto a = number_from(written), b = number_from(name);
    return written == name || (a && b && *a == *b);
}

AxisValue read_bundle(const Value& value, const std::string& path) {
    AxisValue bundle{"", {}, value.source};
    bool named = false;
    for (const Entry& entry : value.entries) {
        if (entry.key != "name") {
            bundle.changes.push_back(entry);
            continue;
        }
        if (entry.value.type != Value::Type::scalar) refuse(entry.value, path + ".name", "a name");
        bundle.name = entry.value.text;
        named = true;
    }
    require(named, "{}: {}: a value that is a map needs a name", value.source.text(), path);
    return bundle;
}

std::size_t place_of(const std::string& axis, const Source& source, const std::string& path,
                     const Product& product) {
    std::vector<std::string> known;
    for (std::size_t i = 0; i < product.axes.size(); ++i) {
        if (product.axes[i].name == axis) return i;
        known.push_back(product.axes[i].name);
    }
    fail(Failure::usage, "{}: {}: expected one of the axes {}, found '{}'", source.text(), path,
         joined(known), axis);
}

// The places of the values that are named on an axis: one value, or a list.
std::vector<std::size_t> places_on(const ValueAxis& axis, const Value& value, const std::string& path) {
    std::vector<Value> written = {value};
    if (value.type == Value::Type::list) written = value.items;
    std::vector<std::size_t> places;
    for (const Value& one : written) {
        bool found = false;
        for (std::size_t i = 0; i < axis.values.size(); ++i) {
            if (one.type != Value::Type::scalar || !means(one.text, axis.values[i].name)) continue;
            places.push_back(i);
            found = true;
        }
        if (!found) refuse(one, path + "." + axis.name, "one of " + joined(names_of(axis)));
    }
    return places;
}

void add_condition(Condition& condition, const Entry& entry, const std::string& path,
                   const Product& product) {
    const std::size_t place = place_of(entry.key, entry.source, path, product);
    condition.values.emplace_back(place, places_on(product.axes[place], entry.value, path));
}

std::vector<Value> read_maps(const Value& value, const std::string& path, const std::string& example) {
    std::vector<Value> maps = {value};
    if (value.type == Value::Type::list) maps = value.items;
    for (const Value& map : maps)
        if (map.type != Value::Type::map || map.entries.empty())
            refuse(map, path, "a map such as " + example);
    return maps;
}

}  // namespace

bool Condition::holds(const std::vector<std::size_t>& combination) const {
    return std::all_of(values.begin(), values.end(), [&](const auto& on_axis) {
        const auto& [axis, places] = on_axis;
        return std::find(places.begin(), places.end(), combination[axis]) != places.end();
    });
}

bool is_rule_of_product(const std::string& key) {
    return key == "zip" || key == "except" || key == "when";
}

ValueAxis read_axis(const Entry& entry, const std::string& path, const Schema& schema) {
    ValueAxis axis{schema.canonical(entry.key), {}};
    const bool is_key = axis.name.find('.') != std::string::npos;
    if (is_key && schema.find(axis.name) == nullptr) schema.refuse_unknown(axis.name, entry.source);
    const std::string here = path + "." + axis.name;
    for (const Value& value : axis_values(entry.value, here, "[0, 1, 2]")) {
        if (!is_key && value.type == Value::Type::map) {
            axis.values.push_back(read_bundle(value, here));
            continue;
        }
        if (value.type != Value::Type::scalar) refuse(value, here, "one value");
        axis.values.push_back({value.text, {}, value.source});
        if (is_key) axis.values.back().changes = {{axis.name, value.source, value}};
    }
    return axis;
}

void read_zip(const Value& value, const std::string& path, const Schema& schema, Product& product) {
    for (const Value& map : read_maps(value, path, "{factor: [2, 4], train.length: [128, 256]}")) {
        require(map.entries.size() >= 2, "{}: {}: expected two axes or more", map.source.text(), path);
        std::vector<std::size_t> wheel;
        for (const Entry& entry : map.entries) {
            wheel.push_back(product.axes.size());
            product.axes.push_back(read_axis(entry, path, schema));
            const std::size_t first = product.axes[wheel.front()].values.size(),
                              here = product.axes.back().values.size();
            require(here == first, "{}: {}: axes that go together have as many values: {} has {}, {} has {}",
                    entry.source.text(), path, product.axes[wheel.front()].name, first, entry.key, here);
        }
        product.wheels.push_back(std::move(wheel));
    }
}

std::vector<Condition> read_except(const Value& value, const std::string& path, const Product& product) {
    std::vector<Condition> conditions;
    for (const Value& map : read_maps(value, path, "{rule: plain, factor: [2, 4]}")) {
        conditions.emplace_back();
        for (const Entry& entry : map.entries) add_condition(conditions.back(), entry, path, product);
    }
    return conditions;
}

std::vector<Addition> read_when(const Value& value, const std::string& path, const Product& product) {
    const std::string example = "{rule: yarn, set: {encoding.scaling.beta_fast: 8}}";
    std::vector<Addition> additions;
    for (const Value& map : read_maps(value, path, example)) {
        Addition& addition = additions.emplace_back();
        for (const Entry& entry : map.entries) {
            if (entry.key != "set") {
                add_condition(addition.condition, entry, path, product);
                continue;
            }
            if (entry.value.type != Value::Type::map) refuse(entry.value, path + ".set", "a map of keys");
            addition.changes = entry.value.entries;
        }
        require(!addition.changes.empty() && !addition.condition.values.empty(),
                "{}: {}: expected values of axes and what they `set`, such as {}", map.source.text(), path,
                example);
    }
    return additions;
}

std::vector<std::vector<std::size_t>> combinations(const Product& product, std::size_t max,
                                                   const std::string& where) {
    std::vector<std::vector<std::size_t>> found;
    std::vector<std::size_t> turns(product.wheels.size(), 0), combination(product.axes.size(), 0);
    std::size_t tried = 0;
    while (true) {
        require(++tried <= 100 * max, "{}: more than {} combinations", where, 100 * max);
        for (std::size_t w = 0; w < turns.size(); ++w)
            for (const std::size_t axis : product.wheels[w]) combination[axis] = turns[w];
        const bool left_out = std::any_of(product.except.begin(), product.except.end(),
                                          [&](const Condition& c) { return c.holds(combination); });
        if (!left_out) found.push_back(combination);
        require(found.size() <= max, "{}: more than {} cells", where, max);
        std::size_t wheel = turns.size();
        while (wheel > 0 &&
               ++turns[wheel - 1] == product.axes[product.wheels[wheel - 1].front()].values.size())
            turns[--wheel] = 0;
        if (wheel == 0) break;
    }
    require(!found.empty(), "{}: except leaves nothing", where);
    return found;
}

}  // namespace locus
