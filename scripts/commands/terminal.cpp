#include "scripts/commands/terminal.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

namespace locus {

namespace {

volatile std::sig_atomic_t signalled = 0;

void remember(int) {
    signalled = 1;
}

std::size_t columns() {
    winsize size{};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

Terminal::Terminal(bool speaks) : speaks_(speaks), interactive_(isatty(STDERR_FILENO) == 1) {
    for (int signal : {SIGINT, SIGTERM, SIGUSR2}) std::signal(signal, remember);
}

Terminal::~Terminal() {
    clear_status();
}

void Terminal::clear_status() {
    if (shown_) fmt::print(stderr, "\r\033[K");
    shown_ = false;
}

void Terminal::message(const std::string& line) {
    if (!speaks_) return;
    clear_status();
    fmt::print(stderr, "{}\n", line);
}

void Terminal::status(const std::string& line) {
    using namespace std::chrono_literals;
    if (!speaks_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < (interactive_ ? 100ms : 10000ms)) return;
    last_ = now;
    if (!interactive_) return message(line);
    fmt::print(stderr, "\r\033[K{}", line.substr(0, columns() - 1));
    std::fflush(stderr);
    shown_ = true;
}

bool Terminal::stop() {
    return signalled != 0;
}

}  // namespace locus
