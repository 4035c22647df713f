// Files that appear whole or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "framework/core/error.h"
#include "framework/io/input_file.h"

namespace locus {

/// Stands in the name of every temporary file, between the name of the file to be and a number.
inline constexpr std::string_view temporary_mark = ".tmp-";

/// Puts `bytes` at `path`: written beside it, flushed to the disk and renamed, so that a reader, a crash or a
/// full disk meets the old file or the new one, never a part. Throws Error of `kind`; the temporary file is
/// then gone.
void write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes,
                           Failure kind = Failure::storage);

/// The same for bytes that lie in several places.
void write_file_atomically(const std::filesystem::path& path,
                           std::initializer_list<std::span<const std::byte>> parts, Failure kind);

/// The same for text.
void write_file_atomically(const std::filesystem::path& path, std::string_view text,
                           Failure kind = Failure::storage);

}  // namespace locus
