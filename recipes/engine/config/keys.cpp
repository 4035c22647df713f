#include "recipes/engine/config/keys.h"

#include <algorithm>

#include "framework/core/error.h"

namespace locus {

namespace {

template <typename T>
std::string expectation(const std::string& noun, const Range<T>& range) {
    const std::string bounds = text_of(range);
    if (bounds.empty()) return noun;
    const bool is_interval = bounds[0] == '[' || bounds[0] == '(';
    return noun + (is_interval ? " in " : " ") + bounds;
}

}  // namespace

KeyType choice_type(const std::vector<std::string>& choices) {
    KeyType type{"choice"};
    for (const std::string& choice : choices) type.bounds += (type.bounds.empty() ? "" : ", ") + choice;
    return type;
}

Index read_integer(const Value& value, const std::string& path, const Range<Index>& range) {
    const auto number = value.type == Value::Type::scalar ? integer_from(value.text) : std::nullopt;
    if (number && *number > range.max) refuse(value, path, fmt::format("an integer <= {}", range.max));
    if (!number || !range.holds(*number)) refuse(value, path, expectation("an integer", range));
    return *number;
}

double read_number(const Value& value, const std::string& path, const Range<double>& range) {
    const auto number = value.type == Value::Type::scalar ? number_from(value.text) : std::nullopt;
    if (!number || !range.holds(*number)) refuse(value, path, expectation("a number", range));
    return *number;
}

bool read_flag(const Value& value, const std::string& path) {
    const auto flag = value.type == Value::Type::scalar ? flag_from(value.text) : std::nullopt;
    if (!flag) refuse(value, path, "true or false");
    return *flag;
}

std::string read_text(const Value& value, const std::string& path) {
    if (value.type != Value::Type::scalar || value.text.empty() || !is_one_line(value.text))
        refuse(value, path, "a text of one line");
    return value.text;
}

std::size_t read_choice(const Value& value, const std::string& path,
                        const std::vector<std::string>& choices) {
    const auto place = value.type == Value::Type::scalar
                           ? std::find(choices.begin(), choices.end(), value.text)
                           : choices.end();
    if (place == choices.end()) {
        std::string known;
        for (const std::string& choice : choices) known += (known.empty() ? "" : ", ") + choice;
        refuse(value, path, (choices.size() > 1 ? "one of " : "") + known);
    }
    return static_cast<std::size_t>(place - choices.begin());
}

const std::vector<Value>& read_list(const Value& value, const std::string& path, const std::string& example) {
    if (value.type != Value::Type::list || value.items.empty())
        refuse(value, path, fmt::format("a list such as {}", example));
    return value.items;
}

}  // namespace locus
