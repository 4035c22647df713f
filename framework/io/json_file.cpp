#include "framework/io/json_file.h"

#include <nlohmann/json.hpp>

#include "framework/io/atomic_file.h"

namespace locus {

void write_json(const std::filesystem::path& path, const nlohmann::json& json, Failure kind) {
    // Paths and prompts may hold bytes that are not UTF-8: they are replaced, JSON knows no others.
    constexpr auto replace = nlohmann::json::error_handler_t::replace;
    write_file_atomically(path, json.dump(2, ' ', false, replace) + "\n", kind);
}

nlohmann::json read_json(const std::filesystem::path& path, Failure kind) {
    const std::string text = read_file(path, kind);
    require(!text.empty(), kind, "{} (0 bytes): is empty", path.string());
    try {
        return nlohmann::json::parse(text);
    } catch (const nlohmann::json::exception& error) {
        fail(kind, "{} ({} bytes): is not JSON: {}", path.string(), text.size(), error.what());
    }
}

}  // namespace locus
