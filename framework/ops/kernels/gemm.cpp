#include "framework/ops/kernels/gemm.h"

#include <algorithm>

#include "framework/core/tensor.h"
#include "framework/ops/kernels/bf16.h"
#include "framework/ops/kernels/pack_cache.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "framework/ops/kernels/gemm.cpp"
#include <hwy/foreach_target.h>

#include "framework/ops/kernels/register_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus {
inline namespace LOCUS_SCALAR {
namespace HWY_NAMESPACE {

constexpr int tile_rows = register_sums / 2;  // with two vectors of columns
constexpr Index depth_block = 256;            // of a panel that stays in the first-level cache
constexpr Index row_block = 32;               // of a transposed left factor, whose rows lie side by side
constexpr Index near_numbers = 48 * 1024;     // of a product that the second-level cache still holds
constexpr Index line = 64 / sizeof(Scalar);
constexpr Index page = 4096 / sizeof(Scalar);  // rows so far apart compete for the same lines of the cache

// The right factor is packed in panels of two vectors of columns: [columns / panel][depth][panel], zero
// beyond the end.
HWY_INLINE Index panel_width() {
    return 2 * lanes();
}

Index PackedSize(Index n, Index k) {
    return (n + panel_width() - 1) / panel_width() * panel_width() * k;
}

void Pack(bool transposed, Index n, Index k, const Scalar* b, Index stride, Scalar* packed) {
    const D d;
    const Index panel = panel_width(), whole = n / panel * panel;
    Scalar* last = packed + whole * k;  // the panel that B does not fill
    if (whole < n) std::fill_n(last, panel * k, Scalar{0});
    if (transposed) {
        for (Index j = 0; j < n; ++j, b += stride) {
            Scalar* to = packed + j / panel * panel * k + j % panel;
            for (Index i = 0; i < k; ++i) to[i * panel] = b[i];
        }
        return;
    }
    for (Index i = 0; i < k; ++i, b += stride, packed += panel, last += panel) {
        for (Index first = 0; first < whole; first += panel) {
            for (Index j = 0; j < panel; j += lanes())
                hn::StoreU(hn::LoadU(d, b + first + j), d, packed + first * k + j);
        }
        std::copy_n(b + whole, n - whole, last);
    }
}

// Rows of a transposed left factor, copied tile by tile: [rows / tile_rows][depth][rows of the tile]
void pack_left(Index rows, Index depth, const Scalar* a, Index stride, Scalar* packed) {
    for (Index k = 0; k < depth; ++k, a += stride) {
        for (Index first = 0; first < rows; first += tile_rows) {
            const Index count = std::min<Index>(tile_rows, rows - first);
            const Scalar* from = a + first;
            Scalar* to = packed + first * depth + k * count;
            if (count == tile_rows) {
                std::copy_n(from, tile_rows, to);
            } else {
                std::copy_n(from, count, to);
            }
        }
    }
}

enum class For { reading, writing };

// Asks for the lines of some rows of a matrix. They lie too far apart for the processor to foresee them, and
// what is written has to come as well.
template <For use>
HWY_INLINE void fetch(Index rows, Index width, const Scalar* at, Index stride) {
    for (Index row = 0; row < rows; ++row, at += stride) {
        for (Index i = 0; i < width; i += line) __builtin_prefetch(at + i, use == For::writing, 2);
    }
}

// At most tile_rows rows of the columns of one panel: C (+)= A panel.
template <bool add, bool far = false, Order order>
HWY_INLINE void tile_product(Index rows, Index columns, Index depth, Left<order> a, const Scalar* panel,
                             Scalar* c, Index c_stride) {
    const Index width = panel_width();
    if (columns == width)
        return row_blocks<tile_rows, 2, add, far>(rows, a, panel, width, c, c_stride, depth);
    HWY_ALIGN Scalar tile[tile_rows * 2 * HWY_MAX_BYTES / sizeof(Scalar)] = {};
    for (Index r = 0; add && r < rows; ++r) std::copy_n(c + r * c_stride, columns, tile + r * width);
    row_blocks<tile_rows, 2, add, far>(rows, a, panel, width, tile, width, depth);
    for (Index r = 0; r < rows; ++r) std::copy_n(tile + r * width, columns, c + r * c_stride);
}

// C (+)= A B over `depth` of the k: a panel stays in the first-level cache while the rows of A pass by it.
// With each tile the one beside it is fetched, and a share of the next panel, which for a weight lies far
// off.
template <bool add>
void rows_product(Index m, Index n, Index k, Index depth, const Scalar* a, Index a_stride,
                  const Scalar* packed, Scalar* c, Index c_stride) {
    const Index width = panel_width(), tiles = (m + tile_rows - 1) / tile_rows;
    const Index share = depth * width / tiles;
    const bool far = m * n > near_numbers;
    for (Index first = 0; first < n; first += width) {
        const Scalar* panel = packed + first * k;
        const Scalar* next = panel + k * width;
        const Index columns = std::min(width, n - first);
        for (Index row = 0; row < m; row += tile_rows, next += share) {
            const Index rows = std::min<Index>(tile_rows, m - row);
            Scalar* tile = c + row * c_stride + first;
            fetch<For::reading>(1, share, next, 0);
            if (far) fetch<For::writing>(rows, width, tile + width, c_stride);
            tile_product<add>(rows, columns, depth, Left<Order::by_rows>{a + row * a_stride, a_stride}, panel,
                              tile, c_stride);
        }
    }
}

// C (+)= A^T B over `depth` of the k, for a gradient C that lies far off: some rows of C after the other, all
// panels for each. With each tile the one of the next panel is fetched, and a share of the next columns of A.
template <bool add>
void columns_product(Index m, Index n, Index k, Index depth, const Scalar* a, Index a_stride,
                     const Scalar* packed, Scalar* c, Index c_stride) {
    const Index width = panel_width();
    const bool copied = a_stride % page == 0;
    const Scratch left(copied ? row_block * depth : 0);
    const Index tiles = (n + width - 1) / width * (row_block / tile_rows);
    const Index share = (depth + tiles - 1) / tiles;
    for (Index begin = 0; begin < m; begin += row_block) {
        const Index end = std::min(begin + row_block, m);
        Index ahead = end < m ? 0 : depth;  // rows of A's next columns that are asked for
        if (copied) pack_left(end - begin, depth, a + begin, a_stride, left.data());
        for (Index first = 0; first < n; first += width) {
            const Scalar* panel = packed + first * k;
            const Index columns = std::min(width, n - first);
            for (Index row = begin; row < end; row += tile_rows) {
                const Index rows = std::min<Index>(tile_rows, end - row);
                Scalar* tile = c + row * c_stride + first;
                const Index more = std::min(share, depth - ahead);
                fetch<For::reading>(more, row_block, a + ahead * a_stride + end, a_stride);
                ahead += more;
                fetch<For::writing>(rows, width, tile + width, c_stride);
                if (copied) {
                    tile_product<add>(rows, columns, depth,
                                      Left<Order::by_columns>{left.data() + (row - begin) * depth, rows},
                                      panel, tile, c_stride);
                } else {
                    tile_product<add, true>(rows, columns, depth, Left<Order::by_columns>{a + row, a_stride},
                                            panel, tile, c_stride);
                }
            }
        }
    }
}

void PackedProduct(bool a_transposed, Index m, Index n, Index k, const Scalar* a, Index a_stride,
                   const Scalar* packed, Scalar beta, Scalar* c, Index c_stride) {
    for (Index begin = 0; begin < k; begin += depth_block) {
        const Index depth = std::min(depth_block, k - begin);
        const Scalar* from = a + begin * (a_transposed ? a_stride : 1);
        const Scalar* panels = packed + begin * panel_width();
        const auto multiply = a_transposed
                                  ? (begin > 0 || beta != 0 ? columns_product<true> : columns_product<false>)
                                  : (begin > 0 || beta != 0 ? rows_product<true> : rows_product<false>);
        multiply(m, n, k, depth, from, a_stride, panels, c, c_stride);
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace LOCUS_SCALAR
}  // namespace locus
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus {
inline namespace LOCUS_SCALAR {

HWY_EXPORT(PackedSize);
HWY_EXPORT(Pack);
HWY_EXPORT(PackedProduct);

namespace kernels {

namespace {

// Calls multiply(packed) with the packed copy of a right factor: a kept one, or one for this call.
template <typename Pack, typename Multiply>
void with_packed(const PackCache::Key& key, Index size, const Pack& pack, const Multiply& multiply) {
    if (const Scalar* kept = PackCache::instance().find(key, size, pack)) return multiply(kept);
    const Scratch packed(size);
    pack(packed.data());
    multiply(packed.data());
}

}  // namespace

void gemm(Transpose a_form, Transpose b_form, Index m, Index n, Index k, const Scalar* a, Index a_stride,
          const Scalar* b, Index b_stride, Scalar beta, Scalar* c, Index c_stride, const Products& products) {
    const bool a_transposed = a_form == Transpose::yes, b_transposed = b_form == Transpose::yes;
    const bool rounded = products.precision == Precision::bf16;
    const bool own = products.backend == GemmBackend::own && k > 0;
    const PackCache::Key key{b, n, k, b_stride, b_transposed, products.precision};
    if (rounded && own && bf16_dots_pay()) {
        return with_packed(
            key, bf16_panels_size(n, k),
            [&](Scalar* to) { pack_bf16_panels(b_transposed, n, k, b, b_stride, to); },
            [&](const Scalar* packed) {
                bf16_product(a_transposed, m, n, k, a, a_stride, packed, beta, c, c_stride);
            });
    }
    const Scratch left(rounded ? m * k : 0);
    if (rounded) {
        const Index columns = a_transposed ? m : k;
        round_pairs_to_bf16(a_transposed, a, a_transposed ? k : m, columns, a_stride, left.data());
        a = left.data();
        a_stride = columns;
    }
    const auto with_right = [&](const auto& use) {  // B and its stride, rounded if need be
        if (!rounded) return use(b, b_stride);
        const Index columns = b_transposed ? k : n;
        const Scratch right(n * k);
        round_pairs_to_bf16(!b_transposed, b, b_transposed ? n : k, columns, b_stride, right.data());
        use(right.data(), columns);
    };
    if (!own) {
        return with_right([&](const Scalar* right, Index stride) {
            locus::gemm(a_form, b_form, m, n, k, a, a_stride, right, stride, beta, c, c_stride);
        });
    }
    with_packed(
        key, HWY_DYNAMIC_DISPATCH(PackedSize)(n, k),
        [&](Scalar* to) {
            with_right([&](const Scalar* right, Index stride) {
                HWY_DYNAMIC_DISPATCH(Pack)(b_transposed, n, k, right, stride, to);
            });
        },
        [&](const Scalar* packed) {
            HWY_DYNAMIC_DISPATCH(PackedProduct)
            (a_transposed, m, n, k, a, a_stride, packed, beta, c, c_stride);
        });
}

}  // namespace kernels
}  // namespace LOCUS_SCALAR
}  // namespace locus
#endif
