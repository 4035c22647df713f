// Register tiles, the heart of the matrix product and of attention: some rows by one or two vectors of
// columns.
#if defined(LOCUS_REGISTER_TILES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_REGISTER_TILES_INL_H
#undef LOCUS_REGISTER_TILES_INL_H
#else
#define LOCUS_REGISTER_TILES_INL_H
#endif

#include "framework/ops/kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus {
inline namespace LOCUS_SCALAR {
namespace HWY_NAMESPACE {

// Sums that a register tile holds, in vectors: two ports of a latency of four cycles need eight at a time;
// the more there are, the fewer loads a multiplication.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
constexpr int register_sums = 16;
#else
constexpr int register_sums = 12;
#endif

// A left factor: element (i, k) is data[i * stride + k] by rows, data[i + k * stride] by columns.
enum class Order { by_rows, by_columns };
template <Order order>
struct Left {
    const Scalar* data;
    Index stride;
};

// C (+)= A B for M rows and NV vectors of columns. `far`: consecutive k of A lie lines of the cache apart,
// more than the processor fetches ahead by itself.
template <int M, int NV, bool add, bool far = false, Order order>
HWY_INLINE void register_block(Left<order> a, const Scalar* HWY_RESTRICT b, Index b_stride,
                               Scalar* HWY_RESTRICT c, Index c_stride, Index depth) {
    const D d;
    const Index n = lanes(), row = order == Order::by_rows ? a.stride : 1,
                column = order == Order::by_rows ? 1 : a.stride;
    const Scalar* left[(M + 3) / 4];  // of every fourth row: the others are at offsets that addressing has
    for (int i = 0; i < M; i += 4) left[i / 4] = a.data + i * row;
    V sums[M][NV];
    for (int i = 0; i < M; ++i) {
        for (int v = 0; v < NV; ++v) sums[i][v] = add ? hn::LoadU(d, c + i * c_stride + v * n) : zero();
    }
#pragma GCC unroll 4  // a core that shares its front end with another has no issue slots to spare
    for (Index k = 0; k < depth; ++k, b += b_stride) {
        if (far) __builtin_prefetch(left[0] + 8 * column);
        V right[NV];
        for (int v = 0; v < NV; ++v) right[v] = hn::LoadU(d, b + v * n);
        for (int i = 0; i < M; ++i) {
            const V factor = hn::Set(d, left[i / 4][i % 4 * row]);
            for (int v = 0; v < NV; ++v) sums[i][v] = hn::MulAdd(factor, right[v], sums[i][v]);
        }
        for (const Scalar*& at : left) at += column;
    }
    for (int i = 0; i < M; ++i) {
        for (int v = 0; v < NV; ++v) hn::StoreU(sums[i][v], d, c + i * c_stride + v * n);
    }
}

// Blocks of M rows, and what remains by halves of M.
template <int M, int NV, bool add, bool far = false, Order order>
HWY_INLINE void row_blocks(Index rows, Left<order> a, const Scalar* b, Index b_stride, Scalar* c,
                           Index c_stride, Index depth) {
    for (; rows >= M; rows -= M) {
        register_block<M, NV, add, far>(a, b, b_stride, c, c_stride, depth);
        a.data += M * (order == Order::by_rows ? a.stride : 1);
        c += M * c_stride;
    }
    if constexpr (M > 1) row_blocks<M / 2, NV, add, far>(rows, a, b, b_stride, c, c_stride, depth);
}

// C (+)= A B: A [rows, depth], B [depth, NV vectors], C [rows, NV vectors].
template <int NV, bool add, Order order>
void multiply(Index rows, Index depth, Left<order> a, const Scalar* b, Index b_stride, Scalar* c,
              Index c_stride) {
    constexpr Index max = register_sums / NV;
    const Index rest = rows % max;
    if (add || rest == 0 || rows < max)
        return row_blocks<max, NV, add>(rows, a, b, b_stride, c, c_stride, depth);
    row_blocks<max, NV, add>(rows - rest, a, b, b_stride, c, c_stride, depth);
    const Index last = rows - max;  // a whole block again, some of whose rows are known already
    a.data += last * (order == Order::by_rows ? a.stride : 1);
    register_block<max, NV, add>(a, b, b_stride, c + last * c_stride, c_stride, depth);
}

// The same for any number of whole vectors of columns; C is added to.
template <Order order>
void accumulate_product(Index rows, Index columns, Index depth, Left<order> a, const Scalar* b,
                        Index b_stride, Scalar* c, Index c_stride) {
    const Index n = lanes();
    Index j = 0;
    for (; j + 2 * n <= columns; j += 2 * n)
        multiply<2, true>(rows, depth, a, b + j, b_stride, c + j, c_stride);
    if (j < columns) multiply<1, true>(rows, depth, a, b + j, b_stride, c + j, c_stride);
}

}  // namespace HWY_NAMESPACE
}  // namespace LOCUS_SCALAR
}  // namespace locus
HWY_AFTER_NAMESPACE();

#endif
