#include "scripts/commands/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string_view>
#include <system_error>

#include "framework/core/error.h"
#include "scripts/commands/printable.h"

namespace locus {

namespace {

// What the first failure said: once it is known, stdio forgets the rest.
[[noreturn]] void refuse(int code) {
    fail(Failure::storage, "stdout: the results could not be written: {}",
         std::generic_category().message(code));
}

}  // namespace

void put_text(const std::string& text) {
    static const bool on_terminal = ::isatty(STDOUT_FILENO) == 1;
    static PrintableText printable;
    const std::string shown = on_terminal ? printable.add(text) : text;
    errno = 0;
    if (std::fwrite(shown.data(), 1, shown.size(), stdout) != shown.size()) refuse(errno);
}

void flush_results() {
    errno = 0;
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) refuse(errno != 0 ? errno : EIO);
}

void tell_text(const std::string& text) noexcept {
    for (std::string_view rest = text; !rest.empty();) {
        const ssize_t written = ::write(STDERR_FILENO, rest.data(), rest.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
}

}  // namespace locus
