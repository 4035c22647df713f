#include "framework/io/seal.h"

#include <algorithm>
#include <vector>

#include "framework/io/checksum.h"
#include "framework/io/input_file.h"

namespace locus {

namespace {

constexpr std::string_view seal_start = "\nlocus-seal-1 xxh3-128 ";
constexpr std::size_t hex_digits = 32;

static_assert(seal_start.size() + hex_digits + 1 == seal_size);

std::string digest_of(const InputFile& file, std::uint64_t size) {
    std::vector<std::byte> block(1 << 20);
    Checksum sum;
    for (std::uint64_t place = 0; place < size;) {
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), size - place));
        const std::size_t count = file.read_at(place, std::span(block).first(wanted));
        if (count == 0) break;  // shorter than it was: the digest will differ
        sum.add(std::span<const std::byte>(block).first(count));
        place += count;
    }
    return sum.hex();
}

}  // namespace

std::string seal_of(std::span<const std::byte> bytes) {
    Checksum sum;
    sum.add(bytes);
    return fmt::format("{}{}\n", seal_start, sum.hex());
}

bool is_seal(std::string_view text) {
    return text.size() == seal_size && text.starts_with(seal_start) && text.ends_with('\n');
}

void check_seal(const std::filesystem::path& path, Failure kind) {
    const InputFile file(path, kind);
    const std::string where = fmt::format("{} ({} bytes)", path.string(), file.size());
    std::string seal(seal_size, '\0');
    const std::uint64_t content = file.size() - std::min<std::uint64_t>(file.size(), seal_size);
    file.read_at(content, std::as_writable_bytes(std::span(seal)));
    require(
        is_seal(seal), kind,
        "{}: is cut off or damaged, or was written by another program or version: expected a checksum of the "
        "whole file at its end, found none",
        where);
    const std::string found = digest_of(file, content);
    const std::string expected = seal.substr(seal_start.size(), hex_digits);
    require(found == expected, kind, "{}: is damaged: its checksum is {}, expected {}", where, found,
            expected);
}

}  // namespace locus
