#include "scripts/commands/printable.h"

#include <fmt/core.h>

#include <algorithm>

namespace locus {

namespace {

enum class Kind { shown, escaped, unfinished };

struct Character {
    Kind kind;
    std::size_t size;
};

// The character that `text`, not empty, begins with.
Character first_of(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80)
        return {(lead >= 0x20 && lead != 0x7f) || lead == '\n' || lead == '\t' ? Kind::shown : Kind::escaped,
                1};
    const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4) return {Kind::escaped, 1};
    for (std::size_t i = 1; i < std::min(size, text.size()); ++i)
        if ((byte(i) & 0xc0) != 0x80) return {Kind::escaped, 1};
    if (text.size() < size) return {Kind::unfinished, text.size()};
    const bool is_control = lead == 0xc2 && byte(1) < 0xa0;  // U+0080 to U+009F
    const bool is_long = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xf0 && byte(1) < 0x90);
    const bool is_none = (lead == 0xed && byte(1) > 0x9f) || (lead == 0xf4 && byte(1) > 0x8f);
    if (is_long || is_none) return {Kind::escaped, 1};
    return {is_control ? Kind::escaped : Kind::shown, size};
}

}  // namespace

std::string PrintableText::add(std::string_view piece) {
    const std::string text = waiting_ + std::string(piece);
    waiting_.clear();
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const Character character = first_of(std::string_view(text).substr(i));
        if (character.kind == Kind::unfinished) {
            waiting_ = text.substr(i);
            break;
        }
        for (std::size_t k = i; k < i + character.size; ++k) {
            if (character.kind == Kind::shown)
                out += text[k];
            else
                out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[k]));
        }
        i += character.size;
    }
    return out;
}

}  // namespace locus
