// Axes that multiply: which of their combinations there are.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "recipes/engine/config/schema.h"

namespace locus {

/// A value of an axis: what it is called, and what it changes, as text.
struct AxisValue {
    std::string name;
    std::vector<Entry> changes;
    Source source;
};

struct ValueAxis {
    std::string name;  // a dotted key, or a word
    std::vector<AxisValue> values;
};

/// Which values of which axes: { rule: plain, factor: [2, 4] }.
struct Condition {
    std::vector<std::pair<std::size_t, std::vector<std::size_t>>>
        values;  // by place: any of these on that axis

    bool holds(const std::vector<std::size_t>& combination) const;
};

/// What some combinations change besides: { rule: yarn, set: { ... } }.
struct Addition {
    Condition condition;
    std::vector<Entry> changes;
};

struct Product {
    std::vector<ValueAxis> axes;                   // the slowest first
    std::vector<std::vector<std::size_t>> wheels;  // places of axes that go together, the slowest first
    std::vector<Condition> except;
    std::vector<Addition> when;
};

/// Whether entries of this name say how axes go together, and are no axis: zip, except, when.
bool is_rule_of_product(const std::string& key);

/// Reads axes, each with a list of values or a range: dotted keys with plain values, words with maps of a
/// name and what changes, or with plain values, which are names only. `path` stands in errors. Throws a usage
/// Error.
ValueAxis read_axis(const Entry& entry, const std::string& path, const Schema& schema);

/// Adds the axes of `zip: { a: [...], b: [...] }`, or of a list of such maps, to the product.
void read_zip(const Value& value, const std::string& path, const Schema& schema, Product& product);

/// Reads `except` and `when` over the product's axes. Throws a usage Error for what is no axis or no value.
std::vector<Condition> read_except(const Value& value, const std::string& path, const Product& product);
std::vector<Addition> read_when(const Value& value, const std::string& path, const Product& product);

/// The combinations that are not left out, the last axis fastest: a place of a value for each axis. Throws a
/// usage Error for more than `max`, and where none is left; `where` stands in it.
std::vector<std::vector<std::size_t>> combinations(const Product& product, std::size_t max,
                                                   const std::string& where);

}  // namespace locus
