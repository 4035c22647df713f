// gzip, whole texts at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace locus {

/// The content of a gzip file of one or several members, with NULs after the last one, as tapes and some
/// programs leave them. Throws a data Error that begins with `where` when it is not gzip, cut off or damaged,
/// or when it grows beyond `limit` bytes.
std::string gunzip(std::string_view compressed, const std::string& where, std::uint64_t limit);

/// What a gzip file of `size` bytes may become: text shrinks to a third or a fifth, what shrinks to less than
/// a hundredth was made to fill a memory.
constexpr std::uint64_t gunzip_limit(std::uint64_t size) {
    constexpr std::uint64_t small = std::uint64_t{1} << 26, ratio = 100;
    return size > small / ratio ? size * ratio : small;
}

}  // namespace locus
