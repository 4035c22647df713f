// Both matrix products against plain sums, at every kind of edge; and the packed copies of weights.
#include "framework/ops/kernels/gemm.h"

#include <array>
#include <bit>

#include "framework/ops/kernels/bf16.h"
#include "framework/ops/kernels/pack_cache.h"
#include "framework/ops/matmul.h"
#include "tests/support/tensors.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

class Gemm : public testing::TestWithParam<GemmBackend> {};
INSTANTIATE_TEST_SUITE_P(Backends, Gemm, testing::Values(GemmBackend::own, GemmBackend::openblas),
                         [](const auto& backend) { return backend.index == 0 ? "own" : "openblas"; });

struct Problem {
    Index m, n, k;
    Transpose a_form, b_form;
    Scalar beta;
};

// A row of C has three numbers behind it that must stay.
constexpr Index gap = 3;

void check(GemmBackend backend, const Problem& p) {
    SCOPED_TRACE(fmt::format("m {} n {} k {} forms {} {} beta {}", p.m, p.n, p.k, p.a_form == Transpose::yes,
                             p.b_form == Transpose::yes, p.beta));
    const bool a_turned = p.a_form == Transpose::yes, b_turned = p.b_form == Transpose::yes;
    const Index a_stride = (a_turned ? p.m : p.k) + 2, b_stride = (b_turned ? p.k : p.n) + 1;
    const Tensor a = random_tensor({a_turned ? p.k : p.m, a_stride}, 1);
    const Tensor b = random_tensor({b_turned ? p.n : p.k, b_stride}, 2);
    const Tensor before = random_tensor({p.m, p.n + gap}, 3);
    const MutableTensor c = before.clone();
    if (p.beta == 0) {  // is not read
        for (Index i = 0; i < p.m; ++i)
            std::fill_n(c.data() + i * (p.n + gap), p.n, std::numeric_limits<Scalar>::quiet_NaN());
    }
    kernels::gemm(p.a_form, p.b_form, p.m, p.n, p.k, a.data(), a_stride, b.data(), b_stride, p.beta, c.data(),
                  p.n + gap, {.backend = backend});
    double worst = 0;
    for (Index i = 0; i < p.m; ++i) {
        for (Index j = 0; j < p.n + gap; ++j) {
            const Index at = i * (p.n + gap) + j;
            if (j >= p.n) {
                EXPECT_EQ(c.data()[at], before.data()[at]);
                continue;
            }
            double sum = static_cast<double>(p.beta) * static_cast<double>(before.data()[at]);
            for (Index l = 0; l < p.k; ++l) {
                sum += static_cast<double>(a.data()[a_turned ? l * a_stride + i : i * a_stride + l]) *
                       static_cast<double>(b.data()[b_turned ? j * b_stride + l : l * b_stride + j]);
            }
            const double error = std::abs(static_cast<double>(c.data()[at]) - sum);
            if (!(error <= worst)) worst = error;
        }
    }
    EXPECT_LE(worst, (is_double ? 1e-15 : 1e-6) * (8 + static_cast<double>(p.k)));
}

TEST_P(Gemm, EverySmallSize) {
    for (Transpose a_form : {Transpose::no, Transpose::yes}) {
        for (Transpose b_form : {Transpose::no, Transpose::yes}) {
            for (Index m : {1, 2, 5, 6, 7, 8, 13}) {
                for (Index n = 1; n <= 70; ++n)
                    check(GetParam(), {m, n, 1 + n % 9, a_form, b_form, Scalar(n % 2)});
            }
        }
    }
}

TEST_P(Gemm, DeepProductsInBlocks) {
    for (Index k : {255, 256, 257, 512, 700}) {
        for (Index n : {16, 37}) {
            for (Scalar beta : {Scalar{0}, Scalar{1}}) {
                check(GetParam(), {9, n, k, Transpose::no, Transpose::no, beta});
                check(GetParam(), {9, n, k, Transpose::yes, Transpose::yes, beta});
            }
        }
    }
}

TEST(OwnGemm, RowsDoNotDependOnTheirNumber) {
    const Tensor x = random_tensor({40, 300}, 1), weight = random_tensor({37, 300}, 2);
    const Tensor all = linear(x, weight).value();
    for (Index rows : {1, 3, 7, 39}) {
        EXPECT_EQ(largest_difference(linear(x.rows(0, rows), weight).value(), all.rows(0, rows)), 0) << rows;
        EXPECT_EQ(
            largest_difference(linear(x.rows(40 - rows, rows), weight).value(), all.rows(40 - rows, rows)),
            0);
    }
}

// To the nearest bfloat16 by search among the neighbours, ties to the even one.
float nearest_bf16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto below = std::bit_cast<float>(bits & 0xffff0000U),
               above = std::bit_cast<float>((bits & 0xffff0000U) + 0x10000U);
    const double down = std::abs(double(value) - double(below)), up = std::abs(double(above) - double(value));
    if (down != up) return down < up ? below : above;
    return (bits & 0x10000U) == 0 ? below : above;
}

TEST(Bf16, RoundsToTheNearestAndToEven) {
    const Tensor drawn = random_tensor({4096}, 1);
    std::vector<Scalar> x(drawn.data(), drawn.data() + drawn.count());
    for (float exact : {1.0F, -2.5F, 0.0F, 1.00390625F, 1.01171875F, 3e38F, 1.2e-38F}) x.push_back(exact);
    std::vector<Scalar> out(x.size());
    const auto round = [&](const std::vector<Scalar>& numbers) {  // a row of its own has no partner
        const auto count = static_cast<Index>(numbers.size());
        kernels::round_pairs_to_bf16(true, numbers.data(), 1, count, count, out.data());
    };
    round(x);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(float(out[i]), nearest_bf16(float(x[i]))) << x[i];
    const Scalar infinity = std::numeric_limits<Scalar>::infinity(),
                 nan = std::numeric_limits<Scalar>::quiet_NaN();
    const std::vector<Scalar> extreme{infinity, -infinity, nan, Scalar(1e-39F), Scalar(3.4e38F)};
    round(extreme);
    EXPECT_EQ(out[0], infinity);
    EXPECT_EQ(out[1], -infinity);
    EXPECT_TRUE(std::isnan(out[2]));
    EXPECT_EQ(out[3], 0);
    EXPECT_EQ(out[4], infinity);  // above the largest: half of the next step up
}

// Products of rounded factors, against double; the processor's dot products, where it has them, give the same
// bits.
TEST_P(Gemm, Bf16) {
    for (const auto& [m, n, k] :
         {std::array<Index, 3>{1, 1, 1}, {8, 32, 2}, {17, 33, 65}, {9, 70, 1}, {40, 48, 600}}) {
        for (int form = 0; form < 8; ++form) {
            const bool a_turned = (form & 1) != 0, b_turned = (form & 2) != 0;
            const auto beta = static_cast<Scalar>(form >> 2);
            SCOPED_TRACE(fmt::format("m {} n {} k {} form {}", m, n, k, form));
            const Tensor a = random_tensor(a_turned ? Shape{k, m} : Shape{m, k}, 1);
            const Tensor b = random_tensor(b_turned ? Shape{n, k} : Shape{k, n}, 2);
            const Tensor before = random_tensor({m, n}, 3);
            const MutableTensor c = before.clone();
            const Index a_stride = a.size(1), b_stride = b.size(1);
            kernels::gemm(a_turned ? Transpose::yes : Transpose::no,
                          b_turned ? Transpose::yes : Transpose::no, m, n, k, a.data(), a_stride, b.data(),
                          b_stride, beta, c.data(), n, {Precision::bf16, GetParam()});
            for (Index i = 0; i < m; ++i) {
                for (Index j = 0; j < n; ++j) {
                    double sum = double(beta) * double(before.data()[i * n + j]), size = std::abs(sum);
                    for (Index l = 0; l < k; ++l) {
                        const double term =
                            double(nearest_bf16(float(a.data()[a_turned ? l * m + i : i * k + l]))) *
                            double(nearest_bf16(float(b.data()[b_turned ? j * k + l : l * n + j])));
                        sum += term;
                        size += std::abs(term);
                    }
                    EXPECT_NEAR(
                        c.data()[i * n + j], sum,
                        size * static_cast<double>(k) * double(std::numeric_limits<Scalar>::epsilon()));
                }
            }
            if (!kernels::has_bf16_dots() || GetParam() != GemmBackend::own) continue;
            const MutableTensor panels = Tensor::empty({kernels::bf16_panels_size(n, k)}),
                                dots = before.clone();
            kernels::pack_bf16_panels(b_turned, n, k, b.data(), b_stride, panels.data());
            kernels::bf16_product(a_turned, m, n, k, a.data(), a_stride, panels.data(), beta, dots.data(), n);
            for (Index i = 0; i < m * n; ++i) EXPECT_EQ(dots.data()[i], c.data()[i]) << i;
        }
    }
}

TEST(PackCache, KeepsWhatItWatchesUntilItChanges) {
    kernels::PackCache& cache = kernels::PackCache::instance();
    const MutableTensor flat = Tensor::zeros({100});
    int packs = 0;
    const auto find = [&](const Scalar* at) {
        return cache.find({at, 2, 3, 3, false}, 8, [&](Scalar* to) { to[0] = static_cast<Scalar>(++packs); });
    };
    EXPECT_EQ(find(flat.data()), nullptr);
    cache.watch(flat.data(), 50);
    EXPECT_EQ(find(flat.data() + 50), nullptr);
    const Scalar* packed = find(flat.data() + 10);
    ASSERT_NE(packed, nullptr);
    EXPECT_EQ(find(flat.data() + 10), packed);
    EXPECT_EQ(packs, 1);
    EXPECT_NE(find(flat.data() + 20), packed);
    EXPECT_EQ(packs, 2);
    cache.changed(flat.data());
    EXPECT_EQ(find(flat.data() + 10), packed);  // the same memory, filled again
    EXPECT_EQ(packed[0], 3);
    cache.forget(flat.data());
    EXPECT_EQ(find(flat.data() + 10), nullptr);
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
