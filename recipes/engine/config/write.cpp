#include "recipes/engine/config/write.h"

#include <algorithm>
#include <string_view>

#include "framework/core/error.h"

namespace locus {

namespace {

// YAML reads null as nothing, - as a list, and --- and ... as ends of a document: those are quoted.
bool is_plain(const std::string& text) {
    const auto allowed = [](char c) {
        return is_word(c) || std::string_view("._+-/").find(c) != std::string::npos;
    };
    const bool nothing = text == "null" || text == "Null" || text == "NULL";
    return !text.empty() && !nothing && is_word(text.back()) &&
           std::all_of(text.begin(), text.end(), allowed);
}

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (byte < 0x20 || byte == 0x7f) {
            out += fmt::format("\\x{:02x}", static_cast<unsigned>(byte));
        } else {
            out += c;
        }
    }
    return out + "\"";
}

// YAML 1.1, which other programs read recipes by, takes some words for numbers, flags and dates, and 1e-08
// for a text: a number needs its point.
std::string number(const std::string& text) {
    const std::size_t e = text.find('e');
    if (e == std::string::npos || text.find('.') != std::string::npos || !number_from(text)) return text;
    return text.substr(0, e) + ".0" + text.substr(e);
}

bool is_date(const std::string& text) {
    return text.size() >= 8 && text.find_first_not_of("0123456789-") == std::string::npos &&
           text.find('-') == 4 && std::count(text.begin(), text.end(), '-') == 2;
}

bool looks_typed(const std::string& text) {
    std::string digits = text;
    std::erase(digits, '_');
    const std::size_t first = digits.find_first_not_of("+-");
    const bool has_base = first != std::string::npos && first + 1 < digits.size() && digits[first] == '0' &&
                          std::string_view("xXbBoO").find(digits[first + 1]) != std::string_view::npos;
    return number_from(digits) || has_base || is_date(text) || flag_from(text) || text == ".inf" ||
           text == ".nan";
}

std::string scalar(const Value& value) {
    if (value.is_number) return number(value.text);
    return is_plain(value.text) && !looks_typed(value.text) ? value.text : quoted(value.text);
}

// A coordinate is the text that names it, and a number where it looks like one.
std::string written(const Coordinate& coordinate) {
    Value value = Value::scalar(coordinate.value);
    value.is_number = coordinate.axis.find('.') != std::string::npos &&
                      (number_from(coordinate.value) || flag_from(coordinate.value));
    return value.is_number ? coordinate.value : scalar(value);
}

/// The lines of a recipe, nested as its keys are.
class Lines {
  public:
    void add(const std::string& path, const std::string& value) {
        std::size_t depth = 0, from = 0;
        for (std::size_t dot; (dot = path.find('.', from)) != std::string::npos; from = dot + 1, ++depth) {
            const std::string name = path.substr(from, dot - from);
            if (depth < open_.size() && open_[depth] == name) continue;
            open_.resize(depth);
            open_.push_back(name);
            text_ += std::string(2 * depth, ' ') + name + ":\n";
        }
        open_.resize(depth);
        text_ += fmt::format("{}{}: {}\n", std::string(2 * depth, ' '), path.substr(from), value);
    }
    std::string take() { return std::move(text_); }

  private:
    std::string text_;
    std::vector<std::string> open_;  // the maps that the next line may stand in
};

}  // namespace

std::string written(const Value& value) {
    if (value.type != Value::Type::list) return scalar(value);
    std::string out;
    for (const Value& item : value.items) out += (out.empty() ? "[" : ", ") + scalar(item);
    return out + "]";
}

std::string write_recipe(const Recipe& recipe, const Schema& schema) {
    Lines lines;
    for (const Key* key : schema.keys(recipe.encoding.kind)) {
        const auto value = key->write(recipe);
        if (value) lines.add(key->path, written(*value));
    }
    std::string text = lines.take();
    if (recipe.cell.empty()) return text;
    text += "cell:\n";
    for (const Coordinate& coordinate : recipe.cell)
        text += fmt::format("  {}: {}\n", coordinate.axis, written(coordinate));
    return text;
}

}  // namespace locus
