// Identities of the encodings that can be worked out on paper. That a model without positions and without a
// mask is permutation equivariant, and with a causal mask is not, stands among the properties.
#include <numbers>

#include "tests/models/support.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

// (sin (p + k) w, cos (p + k) w) is a rotation of (sin p w, cos p w) that depends on k only: one matrix
// shifts every position.
TEST(Analytic, OneMatrixShiftsEverySinusoid) {
    const Index width = 16;
    const LoneEncoding sinusoidal("sinusoidal", {}, {width, 2, 2, 8, 1, 64, Site::self_causal});
    const auto row = [&](std::int64_t position) {
        return sinusoidal.card({.positions = {position}, .length = 64, .distances = {}}).embedding.front();
    };
    for (const std::int64_t k : {1, 7, 300}) {
        for (const std::int64_t p : {0, 1, 5, 63, 4000}) {
            const std::vector<double> here = row(p), there = row(p + k);
            for (Index i = 0; i < width / 2; ++i) {
                const double angle =
                    static_cast<double>(k) *
                    std::pow(10000.0, -2.0 * static_cast<double>(i) / static_cast<double>(width));
                const auto s = static_cast<std::size_t>(2 * i), c = s + 1;
                EXPECT_NEAR(there[s], std::cos(angle) * here[s] + std::sin(angle) * here[c], 1e-12);
                EXPECT_NEAR(there[c], -std::sin(angle) * here[s] + std::cos(angle) * here[c], 1e-12);
            }
        }
    }
}

double product(const Tensor& a, const Tensor& b) {
    double sum = 0;
    for (Index i = 0; i < a.count(); ++i)
        sum += static_cast<double>(a.data()[i]) * static_cast<double>(b.data()[i]);
    return sum;
}

// <R_m q, R_n k> = q^T R_(n - m) k: a logit knows of two positions their difference only.
TEST(Analytic, RotatedProductsDependOnTheDifference) {
    for (const std::string pairing : {"interleaved", "half_split"}) {
        const LoneEncoding rope("rope", {{"pairing", pairing}}, {16, 1, 1, 16, 1, 64, Site::self_causal});
        const auto turned = [&](const Tensor& x, std::int64_t position) {
            return rotate(x, rope.terms(Positions::consecutive(1, position)).query).value();
        };
        for (std::uint64_t draw = 0; draw < 5; ++draw) {
            const Tensor q = random_tensor({1, 1, 1, 16}, 2 * draw),
                         k = random_tensor({1, 1, 1, 16}, 2 * draw + 1);
            for (const std::int64_t m : {0, 3, 50, 900}) {
                for (const std::int64_t n : {0, 1, 47, 1000}) {
                    const double logit = product(turned(q, m), turned(k, n));
                    EXPECT_NEAR(logit, product(q, turned(k, n - m)), is_double ? 1e-12 : 1e-4);
                    EXPECT_NEAR(logit, product(turned(q, m + 1000), turned(k, n + 1000)),
                                is_double ? 1e-11 : 1e-3);
                }
            }
        }
    }
}

// Phases, not model quality: the logit of one unit pair with itself, a distance apart, is cos(theta
// distance).
TEST(Analytic, PhasesOfThreeFrequencies) {
    const nlohmann::json example = oracle("phase_example.json");
    const LoneEncoding rope("rope", {{"base", 1000.0}}, {6, 1, 1, 6, 1, 64, Site::self_causal});
    const std::vector<double> theta = example["theta"];
    const std::vector<double> inverse = rope.card().inv_freq;
    ASSERT_EQ(inverse.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(inverse[i], theta[i], 1e-12 * theta[i]);
    const auto phase = [&](Index pair, std::int64_t distance) {
        const MutableTensor unit = Tensor::zeros({1, 1, 1, 6});
        unit.data()[pair] = 1;  // half split: pair i is (i, i + 3)
        const auto turned = [&](std::int64_t position) {
            return rotate(unit, rope.terms(Positions::consecutive(1, position)).query).value();
        };
        return product(turned(5 + distance), turned(5));
    };
    for (const nlohmann::json& point : example["curve"]) {
        for (Index i = 0; i < 3; ++i)
            EXPECT_NEAR(phase(i, point["delta"]), point["cos"][static_cast<std::size_t>(i)].get<double>(),
                        is_double ? 1e-12 : 1e-6);
    }
    for (Index i = 0; i < 3; ++i)
        EXPECT_NEAR(phase(i, 32), example["rounded_3"][static_cast<std::size_t>(i)].get<double>(), 5e-4);
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
