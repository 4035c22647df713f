#include "recipes/engine/config/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "framework/core/error.h"

namespace locus {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// std::from_chars knows no leading plus, and "+-5" must stay wrong.
std::string_view without_plus(std::string_view text) {
    return text.size() > 1 && text[0] == '+' && text[1] != '-' ? text.substr(1) : text;
}

template <typename T>
std::optional<T> whole_text(std::string_view text) {
    T number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

}  // namespace

std::string Source::text() const {
    return line > 0 ? fmt::format("{}:{}", place, line) : place;
}

std::string Source::folder() const {
    return line > 0 ? std::filesystem::path(place).parent_path().string() : "";
}

Value Value::scalar(std::string text, Source source) {
    Value value;
    value.type = Type::scalar;
    value.text = std::move(text);
    value.source = std::move(source);
    return value;
}

Value Value::number(double number) {
    Value value = scalar(text_of(number));
    value.is_number = true;
    return value;
}

Value Value::number(Index number) {
    Value value = scalar(text_of(number));
    value.is_number = true;
    return value;
}

Value Value::flag(bool flag) {
    Value value = scalar(flag ? "true" : "false");
    value.is_number = true;
    return value;
}

namespace {

template <typename T>
Value list_of_numbers(const std::vector<T>& numbers) {
    Value value;
    value.type = Value::Type::list;
    for (const T number : numbers) value.items.push_back(Value::number(number));
    return value;
}

}  // namespace

Value Value::list(const std::vector<Index>& numbers) {
    return list_of_numbers(numbers);
}

Value Value::list(const std::vector<double>& numbers) {
    return list_of_numbers(numbers);
}

Value Value::list(const std::vector<std::string>& texts) {
    Value value;
    value.type = Type::list;
    for (const std::string& text : texts) value.items.push_back(scalar(text));
    return value;
}

bool is_one_line(const std::string& text) {
    return std::none_of(text.begin(), text.end(),
                        [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

namespace {

// Bytes of the UTF-8 character at the front of `text`, [1, 4]; 0 where there is none: overlong forms, halves
// of surrogate pairs and what lies beyond U+10FFFF are none.
std::size_t character_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    const std::size_t length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (length == 0 || first > 0xF4 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xC0) != 0x80) return 0;
    const unsigned second = length > 1 ? byte(1) : 0;
    const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool outside = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
    return overlong || outside ? 0 : length;
}

}  // namespace

std::optional<std::string> unsound_in(std::string_view text) {
    while (!text.empty()) {
        const auto first = static_cast<unsigned char>(text[0]);
        const std::size_t length = character_length(text);
        if (length == 0) return fmt::format("the byte 0x{:02x}, which is not UTF-8", unsigned{first});
        const bool breaks = first == '\n' || first == '\t';
        if ((first < 0x20 && !breaks) || first == 0x7f)
            return fmt::format("the control character 0x{:02x}", unsigned{first});
        if (first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0)  // C1: ESC and its like in one
            return fmt::format("the control character U+00{:02X}",
                               unsigned{static_cast<unsigned char>(text[1])});
        text.remove_prefix(length);
    }
    return std::nullopt;
}

std::string describe(const Value& value) {
    switch (value.type) {
        case Value::Type::scalar:
            return is_one_line(value.text) ? fmt::format("'{}'", value.text) : "a text of several lines";
        case Value::Type::list:
            return fmt::format("a list of {}", value.items.size());
        case Value::Type::map:
            return "a map of keys";
        case Value::Type::nothing:
            break;
    }
    return "nothing";
}

void refuse(const Value& value, const std::string& path, const std::string& expected) {
    fail(Failure::usage, "{}: {}: expected {}, found {}", value.source.text(), path, expected,
         describe(value));
}

std::optional<double> number_from(std::string_view text) {
    text = without_plus(text);
    // from_chars also reads nan and inf, which no recipe may say.
    const std::size_t first = !text.empty() && text[0] == '-' ? 1 : 0;
    if (first >= text.size() || !(is_digit(text[first]) || text[first] == '.')) return std::nullopt;
    return whole_text<double>(text);
}

std::optional<Index> integer_from(std::string_view text) {
    text = without_plus(text);
    if (const auto exact = whole_text<Index>(text)) return exact;
    const auto number = number_from(text);
    constexpr double exact_limit = 9007199254740992.0;  // 2^53: beyond it a double may have lost a unit
    if (!number || std::abs(*number) > exact_limit || *number != std::trunc(*number)) return std::nullopt;
    return static_cast<Index>(*number);
}

std::optional<bool> flag_from(std::string_view text) {
    for (const std::string_view yes : {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"})
        if (text == yes) return true;
    for (const std::string_view no : {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"})
        if (text == no) return false;
    return std::nullopt;
}

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c);
}

// Not std::to_chars, which prefers 3e-04 to 0.0003.
std::string text_of(double number) {
    return fmt::format("{}", number);
}

std::string text_of(Index number) {
    return fmt::format("{}", number);
}

}  // namespace locus
