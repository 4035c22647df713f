#include "framework/ops/kernels/bf16.h"

#include <hwy/targets.h>

#include <algorithm>

#include "framework/core/error.h"
#include "framework/core/tensor.h"

// The raw instructions of AVX512-BF16: Highway has no target for them. Only functions marked LOCUS_BF16 may
// use them, so that the rest of the program runs on every processor.
#if defined(__x86_64__) && defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // GCC 12 sees it in its own header (its bug 105593)
#include <immintrin.h>
#define LOCUS_BF16 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16,fma")))
#endif

namespace locus {
inline namespace LOCUS_SCALAR {
namespace kernels {

#ifdef LOCUS_BF16

namespace {

constexpr Index bf16_panel = 32;         // columns: two vectors of pairs
constexpr Index bf16_tile_rows = 8;      // with two vectors per row, 16 of 32 registers
constexpr Index bf16_depth_block = 256;  // pairs of a panel that stay in the first-level cache

using Pair = std::uint32_t;

Index pairs_of(Index k) {
    return (k + 1) / 2;
}

LOCUS_BF16 __m512i pairs_of_rows(__m512 even, __m512 odd) {
    const __m512i low = _mm512_cvtepu16_epi32(reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(even)));
    const __m512i high = _mm512_cvtepu16_epi32(reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(odd)));
    return _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
}

// Pairs of two rows: to[j] = (even[j], odd[j]); `odd` may be null for zeros.
LOCUS_BF16 void pair_rows(const float* even, const float* odd, Index count, Pair* to) {
    for (Index j = 0; j < count; j += 16) {
        const auto mask = static_cast<__mmask16>(count - j >= 16 ? 0xffffU : (1U << (count - j)) - 1);
        const __m512 second = odd ? _mm512_maskz_loadu_ps(mask, odd + j) : _mm512_setzero_ps();
        _mm512_mask_storeu_epi32(to + j, mask, pairs_of_rows(_mm512_maskz_loadu_ps(mask, even + j), second));
    }
}

// Pairs along a row: to[i * step] = (from[2i], from[2i + 1]).
LOCUS_BF16 void pair_neighbours(const float* from, Index count, Pair* to, Index step) {
    alignas(64) Pair block[16];
    for (Index i = 0; i < count; i += 32) {
        const auto mask = [&](Index left) {
            return static_cast<__mmask16>(left >= 16 ? 0xffffU : left <= 0 ? 0U : (1U << left) - 1);
        };
        const __m512 low = _mm512_maskz_loadu_ps(mask(count - i), from + i);
        const __m512 high = _mm512_maskz_loadu_ps(mask(count - i - 16), from + i + 16);
        const __m512i both = reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(high, low));
        const Index pairs = std::min(Index{16}, pairs_of(count - i));
        if (step == 1 && pairs == 16) {
            _mm512_storeu_si512(to + i / 2, both);
            continue;
        }
        _mm512_store_si512(block, both);
        for (Index p = 0; p < pairs; ++p) to[(i / 2 + p) * step] = block[p];
    }
}

// A left factor in pairs: element (row i, pair p) is data[i * row + p * column].
struct PairFactor {
    const Pair* data;
    Index row, column;
};

template <int M, bool add>
LOCUS_BF16 inline void bf16_tile(PairFactor a, const Pair* panel, Index pairs, float* c, Index c_stride,
                                 __mmask16 first, __mmask16 second) {
    __m512 sums[M][2];
    for (int i = 0; i < M; ++i) {
        sums[i][0] = add ? _mm512_maskz_loadu_ps(first, c + i * c_stride) : _mm512_setzero_ps();
        sums[i][1] = add ? _mm512_maskz_loadu_ps(second, c + i * c_stride + 16) : _mm512_setzero_ps();
    }
    const Pair* left[(M + 3) / 4];  // of every fourth row, as in the tiles of single precision
    for (int i = 0; i < M; i += 4) left[i / 4] = a.data + i * a.row;
    for (Index p = 0; p < pairs; ++p, panel += bf16_panel) {
        const auto left_half = reinterpret_cast<__m512bh>(_mm512_load_si512(panel));
        const auto right_half = reinterpret_cast<__m512bh>(_mm512_load_si512(panel + 16));
        for (int i = 0; i < M; ++i) {
            const auto pair =
                reinterpret_cast<__m512bh>(_mm512_set1_epi32(static_cast<int>(left[i / 4][i % 4 * a.row])));
            sums[i][0] = _mm512_dpbf16_ps(sums[i][0], pair, left_half);
            sums[i][1] = _mm512_dpbf16_ps(sums[i][1], pair, right_half);
        }
        for (const Pair*& at : left) at += a.column;
    }
    for (int i = 0; i < M; ++i) {
        _mm512_mask_storeu_ps(c + i * c_stride, first, sums[i][0]);
        _mm512_mask_storeu_ps(c + i * c_stride + 16, second, sums[i][1]);
    }
}

template <bool add>
LOCUS_BF16 void bf16_rows(Index m, PairFactor a, const Pair* panel, Index pairs, float* c, Index c_stride,
                          Index columns) {
    const auto mask = [&](Index from) {
        const Index left = columns - from;
        return static_cast<__mmask16>(left >= 16 ? 0xffffU : left <= 0 ? 0U : (1U << left) - 1);
    };
    const __mmask16 first = mask(0), second = mask(16);
    const auto advance = [&](Index rows) {
        m -= rows;
        a.data += rows * a.row;
        c += rows * c_stride;
    };
    for (; m >= bf16_tile_rows; advance(bf16_tile_rows))
        bf16_tile<bf16_tile_rows, add>(a, panel, pairs, c, c_stride, first, second);
    for (; m > 0; advance(1)) bf16_tile<1, add>(a, panel, pairs, c, c_stride, first, second);
}

LOCUS_BF16 void pack_panels(bool transposed, Index n, Index k, const float* b, Index stride, Pair* to) {
    for (Index first = 0; first < n; first += bf16_panel, to += pairs_of(k) * bf16_panel) {
        const Index columns = std::min(bf16_panel, n - first);
        if (columns < bf16_panel) std::fill_n(to, pairs_of(k) * bf16_panel, 0);
        for (Index j = 0; transposed && j < columns; ++j)
            pair_neighbours(b + (first + j) * stride, k, to + j, bf16_panel);
        for (Index p = 0; !transposed && p < pairs_of(k); ++p) {
            const float* even = b + 2 * p * stride + first;
            pair_rows(even, 2 * p + 1 < k ? even + stride : nullptr, columns, to + p * bf16_panel);
        }
    }
}

LOCUS_BF16 void multiply_panels(bool a_transposed, Index m, Index n, Index k, const float* a, Index a_stride,
                                const Pair* panels, bool add, float* c, Index c_stride) {
    const Index pairs = pairs_of(k);
    const Scratch memory(m * pairs);
    Pair* left = reinterpret_cast<Pair*>(memory.data());
    for (Index i = 0; !a_transposed && i < m; ++i) pair_neighbours(a + i * a_stride, k, left + i * pairs, 1);
    for (Index p = 0; a_transposed && p < pairs; ++p) {
        const float* even = a + 2 * p * a_stride;
        pair_rows(even, 2 * p + 1 < k ? even + a_stride : nullptr, m, left + p * m);
    }
    const Index row = a_transposed ? 1 : pairs, column = a_transposed ? m : 1;
    for (Index begin = 0; begin < pairs; begin += bf16_depth_block) {
        const Index depth = std::min(bf16_depth_block, pairs - begin);
        const PairFactor factor{left + begin * column, row, column};
        for (Index first = 0; first < n; first += bf16_panel) {
            const Pair* panel = panels + first * pairs + begin * bf16_panel;
            const auto product = add || begin > 0 ? bf16_rows<true> : bf16_rows<false>;
            product(m, factor, panel, depth, c + first, c_stride, std::min(bf16_panel, n - first));
        }
    }
}

}  // namespace

bool has_bf16_dots() {
    static const bool has = sizeof(Scalar) == sizeof(float) && (hwy::SupportedTargets() & HWY_AVX3) != 0 &&
                            __builtin_cpu_supports("avx512bf16") != 0;  // asking takes long
    return has;
}

bool bf16_dots_pay() {
    static const bool pay = has_bf16_dots() && __builtin_cpu_is("amd") != 0;
    return pay;
}

Index bf16_panels_size(Index n, Index k) {
    return (n + bf16_panel - 1) / bf16_panel * bf16_panel * pairs_of(k);
}

void pack_bf16_panels(bool transposed, Index n, Index k, const Scalar* b, Index stride, Scalar* panels) {
    pack_panels(transposed, n, k, reinterpret_cast<const float*>(b), stride, reinterpret_cast<Pair*>(panels));
}

void bf16_product(bool a_transposed, Index m, Index n, Index k, const Scalar* a, Index a_stride,
                  const Scalar* panels, Scalar beta, Scalar* c, Index c_stride) {
    multiply_panels(a_transposed, m, n, k, reinterpret_cast<const float*>(a), a_stride,
                    reinterpret_cast<const Pair*>(panels), beta != 0, reinterpret_cast<float*>(c), c_stride);
}

#else

bool has_bf16_dots() {
    return false;
}
bool bf16_dots_pay() {
    return false;
}
Index bf16_panels_size(Index, Index) {
    throw Error(Failure::usage, "bf16: no dot products on this processor");
}
void pack_bf16_panels(bool, Index n, Index k, const Scalar*, Index, Scalar*) {
    bf16_panels_size(n, k);
}
void bf16_product(bool, Index, Index n, Index k, const Scalar*, Index, const Scalar*, Scalar, Scalar*,
                  Index) {
    bf16_panels_size(n, k);
}

#endif

}  // namespace kernels
}  // namespace LOCUS_SCALAR
}  // namespace locus
