// JSON files such as manifest.json: whole or not at all, and strict.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "framework/core/error.h"

namespace locus {

/// Puts `json` at `path`, atomically and indented; NaN and infinities become null. Throws Error of `kind`.
void write_json(const std::filesystem::path& path, const nlohmann::json& json,
                Failure kind = Failure::storage);

/// Reads one JSON document. Throws Error of `kind` with path, size and reason.
nlohmann::json read_json(const std::filesystem::path& path, Failure kind = Failure::storage);

}  // namespace locus
