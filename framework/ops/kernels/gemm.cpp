#include "framework/ops/kernels/gemm.h"

#include <algorithm>

#include "framework/core/tensor.h"
#include "framework/ops/kernels/pack_cache.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "framework/ops/kernels/gemm.cpp"
#include <hwy/foreach_target.h>

#include "framework/ops/kernels/micro_gemm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::inline LOCUS_SCALAR {
namespace HWY_NAMESPACE {

constexpr Index depth_block = 256;  // of a panel that stays in the first-level cache

// The right factor is packed in panels of two vectors of columns: [columns / panel][depth][panel], zero
// beyond the end.
HWY_INLINE Index panel_width() {
    return 2 * lanes();
}

Index PackedSize(Index n, Index k) {
    return (n + panel_width() - 1) / panel_width() * panel_width() * k;
}

void Pack(bool transposed, Index n, Index k, const Scalar* b, Index stride, Scalar* packed) {
    const Index panel = panel_width();
    for (Index first = 0; first < n; first += panel, packed += panel * k) {
        const Index count = std::min(panel, n - first);
        if (count < panel) std::fill_n(packed, panel * k, Scalar{0});
        if (transposed) {
            for (Index j = 0; j < count; ++j) {
                const Scalar* row = b + (first + j) * stride;
                for (Index i = 0; i < k; ++i) packed[i * panel + j] = row[i];
            }
        } else if (count < panel) {
            for (Index i = 0; i < k; ++i) std::copy_n(b + i * stride + first, count, packed + i * panel);
        } else {
            for (Index i = 0; i < k; ++i) {
                for (Index j = 0; j < panel; j += lanes()) {
                    const D d;
                    hn::StoreU(hn::LoadU(d, b + i * stride + first + j), d, packed + i * panel + j);
                }
            }
        }
    }
}

// A transposed left factor, copied tile by tile: its rows lie far apart, often in the same sets of the cache.
// [m / tile_rows][depth][rows of the tile]
void pack_left(Index m, Index depth, const Scalar* a, Index stride, Scalar* packed) {
    Index first = 0;
    for (; first + 2 * tile_rows <= m; first += 2 * tile_rows) {  // two tiles: about a line of the cache
        Scalar* even = packed + first * depth;
        Scalar* odd = even + tile_rows * depth;
        for (Index k = 0; k < depth; ++k) {
            const Scalar* from = a + k * stride + first;
            std::copy_n(from, tile_rows, even + k * tile_rows);
            std::copy_n(from + tile_rows, tile_rows, odd + k * tile_rows);
        }
    }
    for (; first < m; first += tile_rows) {
        const Index rows = std::min(tile_rows, m - first);
        for (Index k = 0; k < depth; ++k) {
            std::copy_n(a + k * stride + first, rows, packed + first * depth + k * rows);
        }
    }
}

// The columns of one panel: C (+)= A panel.
template <bool add>
HWY_INLINE void panel_product(Index rows, Index columns, Index depth, Factor a, const Scalar* panel,
                              Scalar* c, Index c_stride) {
    const Index width = panel_width();
    if (columns == width) return row_tiles<2, add>(rows, a, panel, width, c, c_stride, depth);
    HWY_ALIGN Scalar tile[tile_rows * 2 * HWY_MAX_BYTES / sizeof(Scalar)];
    for (Index first = 0; first < rows; first += tile_rows) {
        const Index count = std::min(tile_rows, rows - first);
        row_tiles<2, false>(count, {a.data + first * a.row, a.row, a.column}, panel, width, tile, width,
                            depth);
        for (Index r = 0; r < count; ++r) {
            for (Index j = 0; j < columns; ++j) {
                Scalar& to = c[(first + r) * c_stride + j];
                to = add ? to + tile[r * width + j] : tile[r * width + j];
            }
        }
    }
}

template <bool add>
void depth_product(bool a_packed, Index m, Index n, Index k, Index begin, Index depth, const Scalar* a,
                   Index a_stride, const Scalar* packed, Scalar* c, Index c_stride) {
    const Index width = panel_width();
    for (Index first = 0; first < n; first += width) {
        const Scalar* panel = packed + first * k + begin * width;
        const Index columns = std::min(width, n - first);
        if (!a_packed) {
            panel_product<add>(m, columns, depth, {a, a_stride, 1}, panel, c + first, c_stride);
            continue;
        }
        for (Index row = 0; row < m; row += tile_rows) {
            const Index rows = std::min(tile_rows, m - row);
            panel_product<add>(rows, columns, depth, {a + row * depth, 1, rows}, panel,
                               c + row * c_stride + first, c_stride);
        }
    }
}

void PackedProduct(bool a_transposed, Index m, Index n, Index k, const Scalar* a, Index a_stride,
                   const Scalar* packed, Scalar beta, Scalar* c, Index c_stride) {
    const Scratch left(a_transposed ? m * std::min(depth_block, k) : 0);
    for (Index begin = 0; begin < k; begin += depth_block) {
        const Index depth = std::min(depth_block, k - begin);
        const Scalar* block = a_transposed ? left.data() : a + begin;
        if (a_transposed) pack_left(m, depth, a + begin * a_stride, a_stride, left.data());
        if (begin > 0 || beta != 0) {
            depth_product<true>(a_transposed, m, n, k, begin, depth, block, a_stride, packed, c, c_stride);
        } else {
            depth_product<false>(a_transposed, m, n, k, begin, depth, block, a_stride, packed, c, c_stride);
        }
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace locus::inline LOCUS_SCALAR
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus::inline LOCUS_SCALAR {

HWY_EXPORT(PackedSize);
HWY_EXPORT(Pack);
HWY_EXPORT(PackedProduct);

namespace kernels {

namespace {

GemmBackend backend = GemmBackend::own;

}  // namespace

void set_gemm_backend(GemmBackend wanted) {
    backend = wanted;
}

void gemm(Transpose a_form, Transpose b_form, Index m, Index n, Index k, const Scalar* a, Index a_stride,
          const Scalar* b, Index b_stride, Scalar beta, Scalar* c, Index c_stride) {
    if (backend == GemmBackend::openblas || k == 0) {
        return locus::gemm(a_form, b_form, m, n, k, a, a_stride, b, b_stride, beta, c, c_stride);
    }
    const bool transposed = b_form == Transpose::yes;
    const Index size = HWY_DYNAMIC_DISPATCH(PackedSize)(n, k);
    const auto pack = [&](Scalar* to) { HWY_DYNAMIC_DISPATCH(Pack)(transposed, n, k, b, b_stride, to); };
    const auto multiply = [&](const Scalar* packed) {
        HWY_DYNAMIC_DISPATCH(PackedProduct)
        (a_form == Transpose::yes, m, n, k, a, a_stride, packed, beta, c, c_stride);
    };
    if (const Scalar* kept = PackCache::instance().find({b, n, k, b_stride, transposed}, size, pack)) {
        return multiply(kept);
    }
    const Scratch packed(size);
    pack(packed.data());
    multiply(packed.data());
}

}  // namespace kernels
}  // namespace locus::inline LOCUS_SCALAR
#endif
