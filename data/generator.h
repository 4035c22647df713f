// Text without a download: sentences of a small grammar with facts that are asked for again far away.
#pragma once

#include <cstdint>
#include <string>

#include "framework/core/scalar.h"

namespace locus {

/// Document `index` of the generator: `length` bytes of ASCII, a function of (seed, index) that grows at its
/// end only, so a shorter document is the beginning of a longer one. Now and then it says "The number of Ada
/// Marsh is 40213."; between 128 and 8191 bytes later, log-uniform, once more: "As was said, the number of
/// Ada Marsh is 40213.": five digits that nothing but the far context tells. Throws a usage Error for a
/// negative index or length.
std::string generate_document(std::uint64_t seed, Index index, Index length);

}  // namespace locus
