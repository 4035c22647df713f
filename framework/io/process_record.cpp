#include "framework/io/process_record.h"

#include <unistd.h>

#include <ctime>
#include <fstream>
#include <iterator>
#include <string_view>

namespace locus {

namespace {

constexpr std::string_view needs_no_quotes =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=,:@%+";

std::string shell_word(const std::string& word) {
    if (!word.empty() && word.find_first_not_of(needs_no_quotes) == std::string::npos) return word;
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

std::string command_line() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::string line, word;
    for (auto at = std::istreambuf_iterator<char>(file); at != std::istreambuf_iterator<char>(); ++at) {
        if (*at != '\0') {
            word += *at;
            continue;
        }
        line += (line.empty() ? "" : " ") + shell_word(word);
        word.clear();
    }
    return line.empty() ? "unknown" : line;
}

std::string date_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    char text[32];
    if (::gmtime_r(&now, &parts) == nullptr) return "unknown";
    return std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) > 0 ? text : "unknown";
}

}  // namespace

ProcessRecord process_record() {
    char host[256] = {};
    const bool named = ::gethostname(host, sizeof host - 1) == 0 && host[0] != '\0';
    return {date_now(), named ? host : "unknown", command_line()};
}

}  // namespace locus
