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

std::string scalar(const std::string& text) {
    return is_plain(text) ? text : quoted(text);
}

std::string written(const Value& value) {
    if (value.type != Value::Type::list) return scalar(value.text);
    std::string out;
    for (const Value& item : value.items) out += (out.empty() ? "[" : ", ") + scalar(item.text);
    return out + "]";
}

}  // namespace

std::string write_recipe(const Recipe& recipe, const Schema& schema) {
    std::string text, section;
    for (const Key* key : schema.keys(recipe.encoding.kind)) {
        const auto value = key->write(recipe);
        if (!value) continue;
        const std::size_t dot = key->path.find('.');
        if (dot == std::string::npos) {
            text += fmt::format("{}: {}\n", key->path, written(*value));
            continue;
        }
        if (section != key->path.substr(0, dot)) {
            section = key->path.substr(0, dot);
            text += section + ":\n";
        }
        text += fmt::format("  {}: {}\n", key->path.substr(dot + 1), written(*value));
    }
    if (recipe.cell.empty()) return text;
    text += "cell:\n";
    for (const Coordinate& coordinate : recipe.cell)
        text += fmt::format("  {}: {}\n", coordinate.axis, scalar(coordinate.value));
    return text;
}

}  // namespace locus
