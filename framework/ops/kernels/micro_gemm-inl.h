// The register tiles of the matrix product.
#if defined(LOCUS_MICRO_GEMM_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_MICRO_GEMM_INL_H
#undef LOCUS_MICRO_GEMM_INL_H
#else
#define LOCUS_MICRO_GEMM_INL_H
#endif

#include "framework/ops/kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::inline LOCUS_SCALAR {
namespace HWY_NAMESPACE {

// Rows of the register tile: with 2 vectors a row it fills 16 of 32 registers, or 12 of 16.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
constexpr Index tile_rows = 8;
#else
constexpr Index tile_rows = 6;
#endif

// A strided left factor: element (i, k) is data[i * row + k * column].
struct Factor {
    const Scalar* data;
    Index row, column;
};

// C (+)= A B for M rows and NV vectors of columns; B [depth, b_stride] and C [M, c_stride] row-major.
// `far`: consecutive k of A lie lines of the cache apart, more than the processor fetches ahead by itself.
template <int M, int NV, bool add, bool far = false>
HWY_INLINE void register_tile(Factor a, const Scalar* HWY_RESTRICT b, Index b_stride, Scalar* HWY_RESTRICT c,
                              Index c_stride, Index depth) {
    const D d;
    const Index n = lanes();
    V sums[M][NV];
    for (int i = 0; i < M; ++i) {
        for (int v = 0; v < NV; ++v) sums[i][v] = add ? hn::LoadU(d, c + i * c_stride + v * n) : zero();
    }
    // Every element is one of two pointers plus 0 to 3 rows. A compiler that sees through this keeps a
    // pointer for each row, runs out of registers and moves them through those of the sums: a tenth slower.
    const Scalar* low = a.data;
    const Scalar* high = M > 4 ? a.data + 4 * a.row : a.data;
    Index one = a.row, two = 2 * a.row, three = 3 * a.row;
    asm("" : "+r"(low), "+r"(high), "+r"(one), "+r"(two), "+r"(three));
    const Index steps[4] = {0, one, two, three};
#pragma GCC unroll 4  // a core that shares its front end with another has no issue slots to spare
    for (Index k = 0; k < depth; ++k, low += a.column, high += a.column, b += b_stride) {
        if (far) __builtin_prefetch(low + 8 * a.column);
        V right[NV];
        for (int v = 0; v < NV; ++v) right[v] = hn::LoadU(d, b + v * n);
        for (int i = 0; i < M; ++i) {
            const Scalar* half =
                i < 4 ? low : high;  // named: GCC 12 miscompiles the subscript with sanitizers
            const V left = hn::Set(d, half[steps[i % 4]]);
            for (int v = 0; v < NV; ++v) sums[i][v] = hn::MulAdd(left, right[v], sums[i][v]);
        }
    }
    for (int i = 0; i < M; ++i) {
        for (int v = 0; v < NV; ++v) hn::StoreU(sums[i][v], d, c + i * c_stride + v * n);
    }
}

template <int NV, bool add, bool far = false>
HWY_INLINE void row_tiles(Index rows, Factor a, const Scalar* b, Index b_stride, Scalar* c, Index c_stride,
                          Index depth) {
    const auto advance = [&](Index count) {
        rows -= count;
        a.data += count * a.row;
        c += count * c_stride;
    };
    for (; rows >= tile_rows; advance(tile_rows)) {
        register_tile<tile_rows, NV, add, far>(a, b, b_stride, c, c_stride, depth);
    }
    if (rows >= 4) {
        register_tile<4, NV, add, far>(a, b, b_stride, c, c_stride, depth);
        advance(4);
    }
    for (; rows > 0; advance(1)) register_tile<1, NV, add, far>(a, b, b_stride, c, c_stride, depth);
}

}  // namespace HWY_NAMESPACE
}  // namespace locus::inline LOCUS_SCALAR
HWY_AFTER_NAMESPACE();

#endif
