// The one way in for files from outside: regular ones, of a size that was expected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>

#include "framework/core/error.h"

namespace locus {

inline constexpr std::uint64_t any_size = std::numeric_limits<std::uint64_t>::max();

/// A regular file that is open for reading. Pipes, devices, sockets and folders are refused before anything
/// could wait for them; links are followed.
class InputFile {
  public:
    /// Throws Error of `kind` with path and reason where there is no such file, it is of another kind, it may
    /// not be read, or it has more than `limit` bytes.
    InputFile(const std::filesystem::path& path, Failure kind, std::uint64_t limit = any_size);
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;
    ~InputFile();

    /// Bytes when it was opened.
    std::uint64_t size() const { return size_; }

    /// The whole content, also where it grew meanwhile; throws beyond the limit.
    std::string read_all() const;

    /// Up to `max` bytes from the start.
    std::string head(std::size_t max) const;

    /// Fills as much of `bytes` as there is from `offset` on; returns how much that was.
    std::size_t read_at(std::uint64_t offset, std::span<std::byte> bytes) const;

    /// Identity on this machine: equal for two names of one file.
    std::pair<std::uint64_t, std::uint64_t> identity() const { return {device_, number_}; }

  private:
    [[noreturn]] void refuse(const std::string& why) const;
    void check_limit(std::uint64_t size) const;

    std::filesystem::path path_;
    Failure kind_;
    std::uint64_t limit_, size_ = 0, device_ = 0, number_ = 0;
    int file_ = -1;
};

/// Whole content of the file at `path`; throws as InputFile does.
std::string read_file(const std::filesystem::path& path, Failure kind = Failure::storage,
                      std::uint64_t limit = any_size);

}  // namespace locus
