#include "scripts/commands/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "scripts/commands/output.h"
#include "scripts/commands/printable.h"

namespace locus {

namespace {

std::size_t columns() {
    winsize size{};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// A line can be taken back: not in a file, a pipe, or a terminal that knows no escapes (that of an editor).
bool overwrites() {
    const char* kind = std::getenv("TERM");
    return isatty(STDERR_FILENO) == 1 && kind != nullptr && *kind != '\0' && std::string_view(kind) != "dumb";
}

// The first characters of UTF-8 text, none of them cut.
std::string_view cut(std::string_view text, std::size_t characters) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool begins_one = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
        if (begins_one && characters-- == 0) return text.substr(0, i);
    }
    return text;
}

}  // namespace

Terminal::Terminal(bool speaks) : speaks_(speaks), interactive_(overwrites()) {}

Terminal::~Terminal() {
    clear_status();
}

void Terminal::clear_status() {
    if (shown_) tell("\r\033[K");
    shown_ = false;
}

void Terminal::message(const std::string& line) {
    if (!speaks_) return;
    clear_status();
    tell("{}\n", PrintableText().add(line));
}

void Terminal::status(const std::string& line) {
    using namespace std::chrono_literals;
    if (!speaks_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < (interactive_ ? 100ms : 10000ms)) return;
    last_ = now;
    if (!interactive_) return message(line);
    const std::string shown = PrintableText().add(line);
    tell("\r\033[K{}", cut(shown, columns() - 1));
    shown_ = true;
}

}  // namespace locus
