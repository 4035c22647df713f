#include "tests/fuzz/mutations.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/core/random.h"

namespace locus::test {

namespace {

using namespace std::string_view_literals;

// What readers of text have stumbled over.
constexpr std::array hostile = {
    ""sv,    "-1"sv,   "0"sv,        "1e308"sv, "nan"sv, ".inf"sv, "99999999999999999999"sv,
    "1.5"sv, "null"sv, "~"sv,        "true"sv,  "[]"sv,  "{}"sv,   "\"\""sv,
    "'"sv,   "\xff"sv, "\x1b[31m"sv, "\0"sv,    "\n"sv,  "\t"sv,   ": "sv,
    ","sv,   "[["sv,   "}"sv,        "&a"sv,    "*a"sv,  "../x"sv, "\xc3"sv,
    "# "sv,  "-"sv,
};

class Mutator {
  public:
    Mutator(std::string bytes, bool is_text, RandomStream stream)
        : bytes_(std::move(bytes)), is_text_(is_text), stream_(stream) {}

    void add_fault() {
        if (bytes_.empty()) return insert("x");
        if (is_text_ && stream_.below(3) > 0) return add_fault_of_text();
        switch (stream_.below(8)) {
            case 0:
            case 1:
                return flip();
            case 2:
                return change();
            case 3:
                return leave_out();
            case 4:
                return doubled();
            case 5:
                return swapped();
            case 6:
                return cut_off();
            default:
                return insert(std::string(1 + stream_.below(9), static_cast<char>(stream_.below(256))));
        }
    }

    void add_fault_of_text() {
        switch (stream_.below(6)) {
            case 0:
            case 1:
                return digit();
            case 2:
                return line();
            default:
                return value();
        }
    }

    Mutation take() { return {std::move(what_), std::move(bytes_)}; }

  private:
    std::size_t place() { return stream_.below(bytes_.size()); }
    std::size_t length_from(std::size_t at) {
        return 1 + stream_.below(std::min<std::size_t>(bytes_.size() - at, 1 + stream_.below(64)));
    }
    void note(const std::string& text) { what_ += (what_.empty() ? "" : ", ") + text; }

    void flip() {
        const std::size_t at = place(), bit = stream_.below(8);
        bytes_[at] = static_cast<char>(bytes_[at] ^ (1 << bit));
        note(fmt::format("bit {} of byte {}", bit, at));
    }
    void change() {
        const std::size_t at = place();
        bytes_[at] = static_cast<char>(stream_.below(256));
        note(fmt::format("byte {} is {}", at, static_cast<unsigned char>(bytes_[at])));
    }
    void leave_out() {
        const std::size_t at = place(), count = length_from(at);
        bytes_.erase(at, count);
        note(fmt::format("{} bytes left out at {}", count, at));
    }
    void doubled() {
        const std::size_t at = place();
        const std::string piece = bytes_.substr(at, length_from(at));
        bytes_.insert(at, piece);
        note(fmt::format("{} bytes doubled at {}", piece.size(), at));
    }
    void swapped() {
        const std::size_t at = place(), to = place();
        std::swap(bytes_[at], bytes_[to]);
        note(fmt::format("bytes {} and {} swapped", at, to));
    }
    void cut_off() {
        const std::size_t at = place();
        bytes_.resize(at);
        note(fmt::format("cut off at {}", at));
    }
    void insert(const std::string& piece) {
        const std::size_t at = bytes_.empty() ? 0 : place();
        bytes_.insert(at, piece);
        note(fmt::format("{} bytes put in at {}", piece.size(), at));
    }
    void digit() {
        const std::size_t at = bytes_.find_first_of("0123456789", place());
        if (at == std::string::npos) return flip();
        bytes_[at] =
            static_cast<char>('0' + (bytes_[at] - '0' + 1 + static_cast<int>(stream_.below(9))) % 10);
        note(fmt::format("digit {} is {}", at, bytes_[at]));
    }
    void line() {
        const std::size_t at = bytes_.rfind('\n', place()), begin = at == std::string::npos ? 0 : at + 1;
        const std::string line = bytes_.substr(begin, bytes_.find('\n', begin) + 1 - begin);
        const bool twice = stream_.below(2) == 0;
        if (twice)
            bytes_.insert(begin, line);
        else
            bytes_.erase(begin, line.size());
        note(fmt::format("the line at {} {}", begin, twice ? "twice" : "left out"));
    }

    // What stands behind a colon, a comma or a bracket becomes another such word, or a hostile one.
    void value() {
        const auto values = values_of_text();
        if (values.empty()) return flip();
        const auto [at, count] = values[stream_.below(values.size())];
        const auto [from, size] = values[stream_.below(values.size())];
        const std::string other = stream_.below(3) > 0 ? bytes_.substr(from, size)
                                                       : std::string(hostile[stream_.below(hostile.size())]);
        bytes_.replace(at, count, other);
        note(fmt::format("the value at {} is another one of {} bytes", at, other.size()));
    }

    std::vector<std::pair<std::size_t, std::size_t>> values_of_text() const {
        std::vector<std::pair<std::size_t, std::size_t>> values;
        const auto belongs = [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '_';
        };
        for (std::size_t at = 1; at < bytes_.size(); ++at) {
            if (!belongs(bytes_[at]) || belongs(bytes_[at - 1])) continue;
            const std::size_t before = bytes_.find_last_not_of(" \"", at - 1);
            std::size_t end = at;
            while (end < bytes_.size() && belongs(bytes_[end])) ++end;
            const bool is_key = end < bytes_.size() && bytes_[end] == ':';
            if (!is_key && before != std::string::npos &&
                std::string_view(":,[").find(bytes_[before]) != std::string_view::npos)
                values.emplace_back(at, end - at);
        }
        return values;
    }

    std::string bytes_;
    bool is_text_;
    RandomStream stream_;
    std::string what_;
};

}  // namespace

Mutation mutation_of(const std::string& intact, bool is_text, std::uint64_t seed, std::uint64_t index) {
    RandomStream stream(seed, Purpose::test, {index});
    const std::uint64_t faults = 1 + stream.below(3);
    Mutator mutator(intact, is_text, stream);
    for (std::uint64_t i = 0; i < faults; ++i) mutator.add_fault();
    return mutator.take();
}

}  // namespace locus::test
