// Rotations of a part of the head, and the digits of the tables.
#include "tests/models/rotary_support.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

const std::pair<std::string, OptionValue> proportional{"fraction_form", std::string("proportional")};

TEST(RopeProportional, KeepsTheFrequenciesOfTheWholeHead) {
    const nlohmann::json cases = oracle("rope_partial_proportional.json")["proportional"];
    ASSERT_EQ(cases.size(), 3U);
    for (const auto& c : cases) {
        const Choices choices{
            {"base", c["base"].get<double>()}, {"fraction", c["pct"].get<double>()}, proportional};
        const LoneEncoding rope("rope", choices, head_of(c["d"]));
        expect_relative(rope.card().inv_freq, c["inv_freq"], 1e-12);
        EXPECT_EQ(2 * rope.terms(Positions::consecutive(3)).query.cos.size(3), c["d"].get<Index>());
    }
}

// The slow pairs stand: (2i, 2i + 1) or (i, i + d/2), which is not the tail of the head.
TEST(RopeProportional, SlowPairsStandInBothPairings) {
    const Tensor x = random_tensor({1, 1, 5, 16}, 1);
    for (const std::string pairing : {"interleaved", "half_split"}) {
        const LoneEncoding rope("rope", {{"fraction", 0.3}, proportional, {"pairing", pairing}}, head_of(16));
        const Tensor y = rotate(x, rope.terms(Positions::consecutive(5)).query).value();
        for (Index t = 1; t < 5; ++t) {
            for (Index i = 0; i < 16; ++i) {
                const Index pair = pairing == "interleaved" ? i / 2 : i % 8;  // floor(0.3 * 8) = 2 of 8 turn
                EXPECT_EQ(x.data()[t * 16 + i] == y.data()[t * 16 + i], pair >= 2)
                    << pairing << t << ", " << i;
            }
        }
    }
}

TEST(RopeProportional, TheWholeHeadIsPlainRope) {
    const Positions positions = Positions::consecutive(50, 1000);
    const LoneEncoding plain("rope"), whole("rope", {proportional});
    EXPECT_EQ(largest_difference(plain.terms(positions).query.cos.value(),
                                 whole.terms(positions).query.cos.value()),
              0);
    EXPECT_EQ(largest_difference(plain.terms(positions).query.sin.value(),
                                 whole.terms(positions).query.sin.value()),
              0);
}

TEST(RopeProportional, CountsItsPairs) {
    const auto turning = [](double fraction, Index head_dim) {
        const EncodingCard card =
            LoneEncoding("rope", {{"fraction", fraction}, proportional}, head_of(head_dim)).card();
        return std::count_if(card.inv_freq.begin(), card.inv_freq.end(), [](double f) { return f > 0; });
    };
    EXPECT_EQ(turning(0.7, 20), 7);  // 0.7 * 20 / 2 in doubles may be a little less
    EXPECT_EQ(turning(0.29, 200), 29);
    EXPECT_EQ(turning(0.3, 10), 1);
    expect_mentions(refusal_of("rope", {{"fraction", 0.1}, proportional}, head_of(16)), {"0.1", "16"});
    expect_mentions(refusal_of("rope", {proportional}, head_of(15)), {"15"});
}

double worst_cosine(Index head_dim, double base, std::int64_t position) {
    const LoneEncoding rope("rope", {{"base", base}}, head_of(head_dim));
    const Tensor cos = rope.terms(at({position})).query.cos.value();
    double worst = 0;
    for (Index i = 0; i < head_dim / 2; ++i) {
        const long double exponent = -2.0L * static_cast<long double>(i) / static_cast<long double>(head_dim);
        const long double exact =
            std::cos(static_cast<long double>(position) * std::pow(static_cast<long double>(base), exponent));
        worst =
            std::max(worst, static_cast<double>(std::abs(static_cast<long double>(cos.data()[i]) - exact)));
    }
    return worst;
}

// Angles formed in double, then cast: within 1e-6 of the exact cosine at every position, and in the double
// build as near as the best way of the list.
TEST(RopePrecision, IsThatOfDoubleAngles) {
    const nlohmann::json cases = oracle("precision_errors.json")["cases"];
    ASSERT_GE(cases.size(), 10U);
    for (const auto& c : cases) {
        const std::int64_t position = c["pos"];
        const double worst = worst_cosine(c["d"], c["base"], position);
        const double in_double = c["inv64_angle64"], in_float = c["inv32_angle32"];
        EXPECT_LE(worst, is_double ? 2 * in_double + 1e-15 : 1e-7) << c;
        if (position >= 1023) {
            EXPECT_LT(worst, 0.01 * in_float) << c;
        }
    }
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
