// Checksums: XXH3-128 as 32 hexadecimal digits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace locus {

/// XXH3-128 of bytes.
std::string checksum(std::span<const std::byte> bytes);
std::string checksum(std::string_view text);

/// XXH3-128 of a sequence of parts. Text and shapes carry their lengths, so that no two sequences run
/// together.
class Checksum {
  public:
    Checksum();
    ~Checksum();
    Checksum(const Checksum&) = delete;
    Checksum& operator=(const Checksum&) = delete;

    void add(std::span<const std::byte> bytes);
    void add(std::string_view text);
    void add(std::int64_t number);
    void add(std::span<const std::int64_t> numbers);

    std::string hex() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace locus
