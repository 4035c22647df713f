#include "framework/io/checksum.h"

#include <gtest/gtest.h>

#include <vector>

namespace locus {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

TEST(Checksum, IsXxh3Of128Bits) {
    // The digits that `xxhsum -H2` prints.
    EXPECT_EQ(checksum(""), "99aa06d3014798d86001c324468d497f");
    EXPECT_EQ(checksum(bytes_of("abc")), "06b05ab6733a618578af5f94892f3950");
}

TEST(Checksum, PartsOfBytesAreOneStream) {
    Checksum sum;
    sum.add(bytes_of("a"));
    sum.add(bytes_of("bc"));
    EXPECT_EQ(sum.hex(), checksum(bytes_of("abc")));
}

TEST(Checksum, NamesAndShapesDoNotRunTogether) {
    const auto of_texts = [](std::string_view a, std::string_view b) {
        Checksum sum;
        sum.add(a);
        sum.add(b);
        return sum.hex();
    };
    EXPECT_NE(of_texts("ab", "c"), of_texts("a", "bc"));
    const auto of_shapes = [](const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
        Checksum sum;
        sum.add(std::span<const std::int64_t>(a));
        sum.add(std::span<const std::int64_t>(b));
        return sum.hex();
    };
    EXPECT_NE(of_shapes({1, 2}, {3}), of_shapes({1}, {2, 3}));
}

}  // namespace
}  // namespace locus
