// The two streams of a command: results, which must arrive, and messages, which may be lost.
#pragma once

#include <fmt/core.h>

#include <string>
#include <utility>

namespace locus {

/// Writes to stdout; on a terminal, control bytes are shown and not obeyed. Throws a storage Error where that
/// is not possible.
void put_text(const std::string& text);

/// Writes what stdout still holds back. Throws a storage Error where any result was lost.
void flush_results();

/// Writes to stderr. What cannot be written (a full disk, a closed terminal, a pipe without a reader) is
/// dropped: no work fails because nobody watches it.
void tell_text(const std::string& text) noexcept;

/// Formatted results on stdout.
template <typename... Args>
void put(fmt::format_string<Args...> format, Args&&... args) {
    put_text(fmt::format(format, std::forward<Args>(args)...));
}

/// Formatted messages on stderr.
template <typename... Args>
void tell(fmt::format_string<Args...> format, Args&&... args) {
    tell_text(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace locus
