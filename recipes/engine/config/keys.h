// The schema's building blocks: a key bound to the member that it sets.
#pragma once

#include <fmt/core.h>

#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recipes/engine/config/recipe.h"
#include "recipes/engine/config/value.h"

namespace locus {

/// A recipe while it is read: beside the recipe, the keys that only stand in for another one.
struct Draft {
    Recipe recipe;
    std::map<std::string, std::string> preset;  // options of the encoding that a preset stands for
    Index steps = 0;                            // train.steps, for train.tokens
    double warmup = 0.03;                       // train.warmup, for train.warmup_steps
};

/// What a key takes, in words.
struct KeyType {
    std::string name;         // "integer", "number", "flag", "text", "choice", "list of integers"
    std::string bounds = {};  // "> 0", "[0, 1)", "layer, rms"; "": none
};

/// One key of a recipe.
struct Key {
    std::string path;  // "train.lr"
    std::string doc;
    std::function<void(Draft&, const Value&)> read;            // throws: expected, found
    std::function<std::optional<Value>(const Recipe&)> write;  // nothing: absent from the resolved recipe
    std::string instead_of = {};                               // the other way to say the same
    KeyType type = {"text"};
    std::optional<Value> standard = {};  // of an encoding's option: its value where nothing is said
};

/// What a number may be. Open ends exclude the end itself.
template <typename T>
struct Range {
    T min = std::numeric_limits<T>::lowest();
    T max = std::numeric_limits<T>::max();
    bool open_min = false;
    bool open_max = false;

    bool holds(T value) const {
        return (open_min ? value > min : value >= min) && (open_max ? value < max : value <= max);
    }
};

// Far above any use, and low enough that a product of two stays an Index.
inline constexpr Index max_count = 1'000'000'000;

inline Range<Index> at_least(Index min) {
    return {min, max_count};
}

/// "[0, 1)", "> 0", "<= 8"; "" where there is no end that a reader could use.
template <typename T>
std::string text_of(const Range<T>& range) {
    const double min = static_cast<double>(range.min), max = static_cast<double>(range.max);
    const bool below = min > -1e15, above = max < static_cast<double>(max_count);
    if (below && above)
        return fmt::format("{}{}, {}{}", range.open_min ? '(' : '[', text_of(min), text_of(max),
                           range.open_max ? ')' : ']');
    if (below) return fmt::format("{} {}", range.open_min ? ">" : ">=", text_of(min));
    if (above) return fmt::format("{} {}", range.open_max ? "<" : "<=", text_of(max));
    return "";
}

inline KeyType integer_type(const Range<Index>& range) {
    return {"integer", text_of(range)};
}
inline KeyType number_type(const Range<double>& range) {
    return {"number", text_of(range)};
}
KeyType choice_type(const std::vector<std::string>& choices);

/// Each reads a value of its type or throws a usage Error that says what was expected at `path`.
Index read_integer(const Value& value, const std::string& path, const Range<Index>& range);
double read_number(const Value& value, const std::string& path, const Range<double>& range);
bool read_flag(const Value& value, const std::string& path);
std::string read_text(const Value& value, const std::string& path);
std::size_t read_choice(const Value& value, const std::string& path, const std::vector<std::string>& choices);
const std::vector<Value>& read_list(const Value& value, const std::string& path, const std::string& example);

/// Collects the keys of one section, each bound to a member of the section's option struct.
template <typename S>
class Keys {
  public:
    Keys(std::string section, S Recipe::*place) : section_(std::move(section)), place_(place) {}

    void integer(const std::string& name, Index S::*member, Range<Index> range, const std::string& doc) {
        bind(
            name, doc, member, [range](auto& value, auto& path) { return read_integer(value, path, range); },
            [](Index number) { return Value::number(number); }, integer_type(range));
    }
    void number(const std::string& name, double S::*member, Range<double> range, const std::string& doc) {
        bind(
            name, doc, member, [range](auto& value, auto& path) { return read_number(value, path, range); },
            [](double number) { return Value::number(number); }, number_type(range));
    }
    void flag(const std::string& name, bool S::*member, const std::string& doc) {
        bind(
            name, doc, member, [](auto& value, auto& path) { return read_flag(value, path); },
            [](bool flag) { return Value::flag(flag); }, {"flag", "true, false"});
    }
    void text(const std::string& name, std::string S::*member, const std::string& doc) {
        bind(
            name, doc, member, [](auto& value, auto& path) { return read_text(value, path); },
            [](const std::string& text) { return Value::scalar(text); }, {"text"});
    }
    /// `choices`: the names of the enumerators, in their order, which must count from 0.
    template <typename E>
    void choice(const std::string& name, E S::*member, std::vector<std::string> choices,
                const std::string& doc) {
        bind(
            name, doc, member,
            [choices](auto& value, auto& path) { return static_cast<E>(read_choice(value, path, choices)); },
            [choices](E chosen) { return Value::scalar(choices[static_cast<std::size_t>(chosen)]); },
            choice_type(choices));
    }
    /// A key that reads and writes in its own way.
    void custom(const std::string& name, const std::string& doc, const KeyType& type,
                std::function<void(Draft&, const Value&, const std::string& path)> read,
                std::function<std::optional<Value>(const Recipe&)> write,
                const std::string& instead_of = {}) {
        const std::string path = section_ + "." + name;
        keys_.push_back({path, doc,
                         [read, path](Draft& draft, const Value& value) { read(draft, value, path); }, write,
                         instead_of.empty() ? "" : section_ + "." + instead_of, type});
    }

    std::vector<Key> take() { return std::move(keys_); }

  private:
    template <typename T, typename Read, typename Write>
    void bind(const std::string& name, const std::string& doc, T S::*member, Read read, Write write,
              const KeyType& type) {
        const auto place = place_;
        custom(
            name, doc, type,
            [=](Draft& draft, const Value& value, const std::string& path) {
                draft.recipe.*place.*member = read(value, path);
            },
            [=](const Recipe& recipe) { return write(recipe.*place.*member); });
    }

    std::string section_;
    S Recipe::*place_;
    std::vector<Key> keys_;
};

}  // namespace locus
