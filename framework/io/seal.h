// A digest at the end of a file, over all bytes before it: looked at before a library opens the file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "framework/core/error.h"

namespace locus {

/// Libraries of file formats are made for whole files; damaged ones can lead them astray. HDF5 does not mind
/// bytes behind its own, so that other programs read sealed files as ever.
///
/// "\nlocus-seal-1 xxh3-128 HEX\n": as long for every file.
std::string seal_of(std::span<const std::byte> bytes);

inline constexpr std::size_t seal_size = 56;

/// True when `text` has the form of a seal.
bool is_seal(std::string_view text);

/// Throws Error of `kind`, with path and size, unless the file ends in the seal of all bytes before it.
void check_seal(const std::filesystem::path& path, Failure kind);

}  // namespace locus
