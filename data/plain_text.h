// Whether bytes are text that a person could read.
#pragma once

#include <string>
#include <string_view>

namespace locus {

/// Why `bytes` are no plain text, as "is not UTF-8: byte 0xE9 at 17"; empty where they are. Plain text is
/// UTF-8 without NUL and with at most one control character, and one more in each thousand bytes (besides
/// tabs and ends of lines and pages). Its last character may be cut off, as by `head -c`.
std::string why_not_plain(std::string_view bytes);

}  // namespace locus
