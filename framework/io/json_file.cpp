#include "framework/io/json_file.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "framework/io/atomic_file.h"
#include "framework/io/checksum.h"

namespace locus {

void write_json(const std::filesystem::path& path, const nlohmann::json& json, Failure kind) {
    // Paths and prompts may hold bytes that are not UTF-8: they are replaced, JSON knows no others.
    constexpr auto replace = nlohmann::json::error_handler_t::replace;
    write_file_atomically(path, json.dump(2, ' ', false, replace) + "\n", kind);
}

namespace {

constexpr std::uint64_t largest_json = std::uint64_t{1} << 28;

/// Brackets that are open at once; text between quotes does not count.
int depth_of(std::string_view text) {
    int depth = 0, deepest = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"') quoted = !quoted;
        if (quoted) {
            i += c == '\\';
        } else if (c == '[' || c == '{') {
            deepest = std::max(deepest, ++depth);
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return deepest;
}

}  // namespace

std::string reason_of(const std::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ... - unexpected end of input; ..."
    std::string reason = error.what();
    if (reason.starts_with("[json.exception"))
        reason.erase(0, std::min(reason.find("] ") + 2, reason.size()));
    if (const std::size_t at = reason.find("unexpected "); at != std::string::npos)
        reason.replace(at, 10, "found");
    // The library quotes what it read last, be it a megabyte.
    if (reason.size() > 300) reason = reason.substr(0, 150) + " ... " + reason.substr(reason.size() - 100);
    std::replace_if(
        reason.begin(), reason.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
    return reason;
}

nlohmann::json parse_json(std::string_view text, const std::string& where, Failure kind) {
    const int depth = depth_of(text);
    require(depth <= deepest_json, kind, "{}: JSON of {} levels, expected at most {}", where, depth,
            deepest_json);
    try {
        return nlohmann::json::parse(text);
    } catch (const nlohmann::json::exception& error) {
        fail(kind, "{}: is not JSON: {}", where, reason_of(error));
    }
}

nlohmann::json read_json(const std::filesystem::path& path, Failure kind) {
    const std::string text = read_file(path, kind, largest_json);
    const std::string where = fmt::format("{} ({} bytes)", path.string(), text.size());
    require(!text.empty(), kind, "{}: is empty", where);
    return parse_json(text, where, kind);
}

std::string content_checksum(const nlohmann::json& object) {
    nlohmann::json content = object;
    content.erase("checksum");
    Checksum sum;
    sum.add(content.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    return sum.hex();
}

}  // namespace locus
