#include "data/plain_text.h"

#include <fmt/core.h>

#include <cstdint>

namespace locus {

namespace {

unsigned byte_at(std::string_view bytes, std::size_t place) {
    return static_cast<unsigned char>(bytes[place]);
}

/// What a lead byte asks for: further bytes, and the range of the first of them (Unicode 15, table 3-7); no
/// bytes where it is none.
struct Lead {
    std::size_t more;
    unsigned min, max;
};

Lead lead(unsigned byte) {
    if (byte >= 0xC2 && byte <= 0xDF) return {1, 0x80, 0xBF};
    if (byte == 0xE0) return {2, 0xA0, 0xBF};
    if (byte == 0xED) return {2, 0x80, 0x9F};
    if (byte >= 0xE1 && byte <= 0xEF) return {2, 0x80, 0xBF};
    if (byte == 0xF0) return {3, 0x90, 0xBF};
    if (byte >= 0xF1 && byte <= 0xF3) return {3, 0x80, 0xBF};
    if (byte == 0xF4) return {3, 0x80, 0x8F};
    return {0, 0, 0};
}

}  // namespace

std::string why_not_plain(std::string_view bytes) {
    std::size_t controls = 0, first_control = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const unsigned byte = byte_at(bytes, i);
        if (byte >= 0x20 && byte < 0x7F) continue;
        if (byte < 0x80) {
            if (byte == 0) return fmt::format("is binary: a NUL at byte {}", i);
            const bool spacing = byte >= 0x09 && byte <= 0x0D;
            if (!spacing && controls++ == 0) first_control = i;
            continue;
        }
        const Lead expected = lead(byte);
        bool fits = expected.more > 0;
        for (std::size_t k = 1; fits && k <= expected.more; ++k) {
            if (i + k >= bytes.size()) return "";  // cut off within its last character
            const unsigned next = byte_at(bytes, i + k);
            fits = k == 1 ? next >= expected.min && next <= expected.max : next >= 0x80 && next <= 0xBF;
        }
        if (!fits) return fmt::format("is not UTF-8: byte 0x{:02X} at {}", byte, i);
        i += expected.more;
    }
    if (controls <= 1 + bytes.size() / 1000) return "";
    return fmt::format("is binary: {} control characters, the first (0x{:02X}) at byte {}", controls,
                       byte_at(bytes, first_control), first_control);
}

}  // namespace locus
