#include "tests/models/rotary_support.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

TEST(Rope, InverseFrequencies) {
    const nlohmann::json cases = oracle("rope_inv_freq.json")["cases"];
    ASSERT_EQ(cases.size(), 6U);
    for (const auto& c : cases) {
        const Index width = c["d"];
        const LoneEncoding rope("rope", {{"base", c["base"].get<double>()}}, head_of(width));
        const EncodingCard card = rope.card();
        expect_relative(card.inv_freq, c["inv_freq"], 1e-12);
        EXPECT_EQ(card.base, c["base"].get<double>());
        EXPECT_EQ(card.magnitude, 1);
        const double pi = std::acos(-1);
        expect_relative({2 * pi / card.inv_freq.front(), 2 * pi / card.inv_freq.back()},
                        c["wavelength_first_last"], 1e-12);
    }
}

TEST(Rope, PartialRotationUsesItsOwnWidth) {
    const nlohmann::json cases = oracle("rope_partial_proportional.json")["partial"];
    ASSERT_EQ(cases.size(), 5U);
    for (const auto& c : cases) {
        const Choices choices{{"base", c["base"].get<double>()}, {"fraction", c["pct"].get<double>()}};
        const LoneEncoding rope("rope", choices, head_of(c["d"]));
        expect_relative(rope.card().inv_freq, c["inv_freq"], 1e-12);
        const PositionTerms terms = rope.terms(Positions::consecutive(3));
        EXPECT_EQ(2 * terms.query.cos.size(3), c["rotary_dim"].get<Index>());
    }
    const LoneEncoding tiny("rope", {{"fraction", 0.5}}, head_of(8));
    expect_relative(tiny.card().inv_freq, {1, 0.01}, 1e-12);
    const Tensor x = random_tensor({1, 1, 5, 8}, 1);
    const Tensor y = rotate(x, tiny.terms(Positions::consecutive(5)).query).value();
    for (Index t = 1; t < 5; ++t) {
        for (Index i = 0; i < 8; ++i)
            EXPECT_EQ(x.data()[t * 8 + i] == y.data()[t * 8 + i], i >= 4) << t << ", " << i;
    }
}

// The oracle's vector at its positions, turned.
Tensor turned(const std::string& pairing, const std::string& vector,
              const std::vector<std::int64_t>& positions) {
    const LoneEncoding rope("rope", {{"pairing", pairing}}, head_of(8));
    std::vector<double> rows;
    const auto row = oracle("rope_rotation.json")[vector].get<std::vector<double>>();
    for (std::size_t i = 0; i < positions.size(); ++i) rows.insert(rows.end(), row.begin(), row.end());
    const auto length = static_cast<Index>(positions.size());
    return rotate(tensor_of({1, 1, length, 8}, rows), rope.terms(at(positions)).query).value();
}

TEST(Rope, RotationInBothPairings) {
    const nlohmann::json data = oracle("rope_rotation.json");
    const std::vector<std::int64_t> positions = data["positions"];
    for (const std::string pairing : {"interleaved", "half_split"}) {
        const Tensor actual = turned(pairing, "x", positions);
        for (std::size_t t = 0; t < positions.size(); ++t) {
            const std::vector<double> expected = data["x_" + pairing][t];
            for (std::size_t i = 0; i < 8; ++i)
                EXPECT_NEAR(actual.data()[t * 8 + i], expected[i], 2 * rounding);
        }
        ASSERT_EQ(data["dot_relative"].size(), 7U);
        for (const auto& c : data["dot_relative"]) {
            const Tensor q = turned(pairing, "x", {c["m"]}), k = turned(pairing, "y", {c["n"]});
            double dot = 0;
            for (Index i = 0; i < 8; ++i)
                dot += static_cast<double>(q.data()[i]) * static_cast<double>(k.data()[i]);
            EXPECT_NEAR(dot, c[pairing].get<double>(), 8 * rounding) << c;
        }
    }
}

TEST(Rope, PairingsAgreeAfterPermutation) {
    const std::vector<Index> order =
        oracle("rope_rotation.json")["permutation_interleaved_to_half"]
                                    ["half[i]=inter[2i], half[i+d/2]=inter[2i+1]"];
    const LoneEncoding woven("rope", {{"pairing", std::string("interleaved")}}, head_of(8));
    const LoneEncoding split("rope", {}, head_of(8));
    const Positions positions = at({0, 3, 500});
    const Tensor x = random_tensor({1, 1, 3, 8}, 1);
    const auto permuted = [&](const Tensor& from) {
        MutableTensor to = Tensor::empty(from.shape());
        for (Index t = 0; t < 3; ++t) {
            for (Index i = 0; i < 8; ++i)
                to.data()[t * 8 + i] = from.data()[t * 8 + order[static_cast<std::size_t>(i)]];
        }
        return to;
    };
    const Tensor a = permuted(rotate(x, woven.terms(positions).query).value());
    const Tensor b = rotate(permuted(x), split.terms(positions).query).value();
    expect_close(a, b, rounding, "permuted");
}

// Angles are formed in double: float would be off by 1e-4 to 3e-3 at the last three.
TEST(Rope, AnglesKeepTheirDigitsAtLargePositions) {
    const std::vector<std::int64_t> positions{255, 256, 257, 258, 259, 260, 4095, 65535, 262143};
    const LoneEncoding rope("rope", {}, head_of(64));
    const PositionTerms terms = rope.terms(at(positions));
    const Tensor cos = terms.query.cos.value(), sin = terms.query.sin.value();
    ASSERT_EQ(cos.shape(), (Shape{1, 1, 9, 32}));
    double worst = 0;
    for (Index t = 0; t < 9; ++t) {
        for (Index i = 0; i < 32; ++i) {
            const long double angle = static_cast<long double>(positions[static_cast<std::size_t>(t)]) *
                                      std::pow(10000.0L, -static_cast<long double>(i) / 32);
            worst = std::max({worst, std::abs(static_cast<double>(cos.data()[t * 32 + i] - std::cos(angle))),
                              std::abs(static_cast<double>(sin.data()[t * 32 + i] - std::sin(angle)))});
        }
    }
    EXPECT_LE(worst, is_double ? 1e-10 : 1e-6);
    for (Index t = 0; t + 1 < 9; ++t) {
        EXPECT_GT(largest_difference(cos.reshaped({9, 32}).rows(t, 1), cos.reshaped({9, 32}).rows(t + 1, 1)),
                  1e-3);
    }
}

TEST(Rope, KeepsNorms) {
    const LoneEncoding rope("rope", {}, head_of(16));
    const Tensor x = random_tensor({2, 3, 40, 16}, 1);
    const Tensor y = rotate(x, rope.terms(Positions::consecutive(40, 1000)).query).value();
    EXPECT_GT(largest_difference(x, y), 1);
    for (Index row = 0; row < 240; ++row) {
        double before = 0, after = 0;
        for (Index i = row * 16; i < row * 16 + 16; ++i) {
            before += std::pow(static_cast<double>(x.data()[i]), 2);
            after += std::pow(static_cast<double>(y.data()[i]), 2);
        }
        EXPECT_NEAR(after, before, 4 * rounding * before);
    }
}

TEST(Rope, TokensWithoutAPositionStayAndQueriesMayStandElsewhere) {
    const LoneEncoding rope("rope", {}, head_of(8));
    const Positions query = at({7, Positions::none}), key = at({0, 1, 2});
    const PositionTerms terms = rope.encoding->terms(query, key, {3, 0, Site::cross});
    EXPECT_EQ(terms.query.cos.shape(), (Shape{1, 1, 2, 4}));
    EXPECT_EQ(terms.key.cos.shape(), (Shape{1, 1, 3, 4}));
    EXPECT_NEAR(terms.query.sin.value().data()[0], std::sin(7.0), rounding);
    for (Index i = 0; i < 4; ++i) {
        EXPECT_EQ(terms.query.cos.value().data()[4 + i], 1);
        EXPECT_EQ(terms.query.sin.value().data()[4 + i], 0);
    }
    const Positions batch(2, 2, 1, {0, 1, 5, 6});
    const Tensor sin = rope.terms(batch).query.sin.value();
    EXPECT_EQ(sin.shape(), (Shape{2, 1, 2, 4}));
    EXPECT_NEAR(sin.data()[8], std::sin(5.0), rounding);
}

TEST(Rope, RefusesOddWidths) {
    const auto message = [](const Choices& choices, Index head_dim) {
        return refusal_of("rope", choices, head_of(head_dim));
    };
    EXPECT_NE(message({}, 65).find("65"), std::string::npos);
    const std::string partial = message({{"fraction", 0.3}}, 10);
    EXPECT_NE(partial.find("0.3"), std::string::npos);
    EXPECT_NE(partial.find("10"), std::string::npos);
    EXPECT_NE(message({{"fraction", 0.3}}, 8), "");  // 2.4 dimensions
    EXPECT_NE(message({{"fraction", 0.0}}, 8), "");
    EXPECT_EQ(message({{"fraction", 0.75}}, 8), "");
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
