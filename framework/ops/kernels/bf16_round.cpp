#include <bit>
#include <utility>

#include "framework/ops/kernels/bf16.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "framework/ops/kernels/bf16_round.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace locus {
inline namespace LOCUS_SCALAR {
namespace HWY_NAMESPACE {

// Plain loops, which the compiler makes vectors of: whole numbers only.
void RoundToBf16(const Scalar* from, Scalar* to, Index count) {
    for (Index i = 0; i < count; ++i) {
        const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(from[i]));
        const std::uint32_t magnitude = bits & 0x7fffffffU;
        const std::uint32_t to_even = (bits + 0x7fffU + ((bits >> 16) & 1U)) & 0xffff0000U;
        const std::uint32_t zero = bits & 0x80000000U, quiet = (bits | 0x00400000U) & 0xffff0000U;
        const std::uint32_t rounded = magnitude > 0x7f800000U   ? quiet
                                      : magnitude < 0x00800000U ? zero
                                                                : to_even;
        to[i] = static_cast<Scalar>(std::bit_cast<float>(rounded));
    }
}

void ExchangeNeighbours(Scalar* row, Index count) {
    for (Index i = 0; i + 1 < count; i += 2) std::swap(row[i], row[i + 1]);
}

void RoundPairs(bool of_rows, const Scalar* from, Index rows, Index columns, Index stride, Scalar* to) {
    for (Index row = 0; row < rows; ++row, from += stride) {
        Scalar* out = to + (of_rows && (row ^ 1) < rows ? row ^ 1 : row) * columns;
        RoundToBf16(from, out, columns);
        if (!of_rows) ExchangeNeighbours(out, columns);
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace LOCUS_SCALAR
}  // namespace locus
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus {
inline namespace LOCUS_SCALAR {

HWY_EXPORT(RoundPairs);

namespace kernels {

void round_pairs_to_bf16(bool of_rows, const Scalar* from, Index rows, Index columns, Index stride,
                         Scalar* to) {
    HWY_DYNAMIC_DISPATCH(RoundPairs)(of_rows, from, rows, columns, stride, to);
}

}  // namespace kernels
}  // namespace LOCUS_SCALAR
}  // namespace locus
#endif
