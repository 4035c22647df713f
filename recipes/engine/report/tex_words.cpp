#include "recipes/engine/report/tex_words.h"

#include <fmt/core.h>

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace locus {

namespace {

constexpr double character_width = 4.8;  // points of a letter or a bold digit of 8 pt

// The characters of UTF-8; a byte that belongs to none stands for itself.
std::vector<char32_t> characters(const std::string& text) {
    std::vector<char32_t> all;
    for (std::size_t i = 0; i < text.size();) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
        char32_t code = length == 1 ? byte : byte & (0xFFu >> (length + 1));
        for (std::size_t k = 1; k < length && i + k < text.size(); ++k)
            code = code << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3F);
        all.push_back(code);
        i += length;
    }
    return all;
}

std::string utf8(char32_t code) {
    if (code < 0x80) return {static_cast<char>(code)};
    return {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 0x3F))};
}

const std::map<char32_t, std::string> spelled = {{'\\', "\\textbackslash{}"},
                                                 {'~', "\\textasciitilde{}"},
                                                 {'^', "\\textasciicircum{}"},
                                                 {'<', "$<$"},
                                                 {'>', "$>$"},
                                                 {'|', "$|$"},
                                                 {'[', "{[}"},
                                                 {'*', "{*}"},
                                                 {'"', "''"},
                                                 {'\n', " "},
                                                 {'\t', " "},
                                                 {'\r', " "},
                                                 {0xB1, "$\\pm$"},
                                                 {0xB7, "$\\cdot$"},
                                                 {0xD7, "$\\times$"},
                                                 {0xB2, "$^2$"},
                                                 {0xB3, "$^3$"},
                                                 {0xB5, "$\\mu$"},
                                                 {0xA0, "~"},
                                                 {0xB0, "$^\\circ$"},
                                                 {0x2013, "--"},
                                                 {0x2014, "---"},
                                                 {0x2018, "`"},
                                                 {0x2019, "'"},
                                                 {0x201C, "``"},
                                                 {0x201D, "''"},
                                                 {0x2026, "\\ldots{}"},
                                                 {0x2192, "$\\to$"},
                                                 {0x2212, "$-$"},
                                                 {0x2248, "$\\approx$"},
                                                 {0x2264, "$\\le$"},
                                                 {0x2265, "$\\ge$"},
                                                 {0x221A, "$\\surd$"},
                                                 {0x3B1, "$\\alpha$"},
                                                 {0x3B2, "$\\beta$"},
                                                 {0x3B8, "$\\theta$"},
                                                 {0x3BB, "$\\lambda$"},
                                                 {0x3C0, "$\\pi$"},
                                                 {0x3C3, "$\\sigma$"}};

std::string tex_character(char32_t code) {
    if (const auto place = spelled.find(code); place != spelled.end()) return place->second;
    if (code < 0x80 && std::string_view("_%&#${}").find(static_cast<char>(code)) != std::string_view::npos)
        return std::string("\\") + static_cast<char>(code);
    if (code < 0x20 || code == 0x7F) return "?";
    const bool letter = (code >= 0xC0 && code <= 0xFF && code != 0xD0 && code != 0xDE && code != 0xF0 &&
                         code != 0xFE && code != 0xF7) ||
                        code < 0x7F;
    return letter ? utf8(code) : fmt::format("{{[}}U+{:04X}]", static_cast<std::uint32_t>(code));
}

}  // namespace

std::string tex_text(const std::string& text) {
    std::string out;
    for (const char32_t code : characters(text)) out += tex_character(code);
    return out;
}

std::string tex_breakable(const std::string& text) {
    std::string out;
    int unbroken = 0;
    for (const char32_t code : characters(text)) {
        out += tex_character(code);
        const bool after = code < 0x80 && std::string_view("-_,=/.: ").find(static_cast<char>(code)) !=
                                              std::string_view::npos;
        unbroken = after ? 0 : unbroken + 1;
        if (code == ' ' || (!after && unbroken < 12)) continue;
        out += "\\allowbreak{}";
        unbroken = 0;
    }
    return out;
}

double tex_width(const std::string& text) {
    double characters_shown = 0;
    for (const char32_t code : characters(text)) characters_shown += code == 0xB1 ? 2 : code > 0x17F ? 9 : 1;
    return character_width * characters_shown;
}

}  // namespace locus
