// JSON files such as manifest.json: whole or not at all, and strict.
#pragma once

#include <exception>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "framework/core/error.h"

namespace locus {

/// Puts `json` at `path`, atomically and indented; NaN and infinities become null. Throws Error of `kind`.
void write_json(const std::filesystem::path& path, const nlohmann::json& json,
                Failure kind = Failure::storage);

/// Lists and objects within each other; deeper ones are refused, since those who walk a document go as deep.
inline constexpr int deepest_json = 100;

/// What the library says of a document, in one line without its own names.
std::string reason_of(const std::exception& error);

/// One JSON document of a text. Throws Error of `kind` that begins with `where`.
nlohmann::json parse_json(std::string_view text, const std::string& where, Failure kind);

/// Reads one JSON document. Throws Error of `kind` with path, size and reason.
nlohmann::json read_json(const std::filesystem::path& path, Failure kind = Failure::storage);

/// XXH3-128 of an object without its field "checksum", which it may hold to tell whether it was changed.
std::string content_checksum(const nlohmann::json& object);

}  // namespace locus
