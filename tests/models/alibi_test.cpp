#include "tests/models/support.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

EncodingShape heads_of(Index heads) {
    return {heads, heads, heads, 1, 1, 64, Site::self_causal};
}

TEST(Alibi, SlopesOfEveryHeadCount) {
    const nlohmann::json slopes = oracle("alibi_slopes.json")["slopes"];
    EXPECT_GE(slopes.size(), 21U);
    for (const auto& [heads, values] : slopes.items()) {
        const LoneEncoding alibi("alibi", {}, heads_of(std::stoll(heads)));
        const EncodingCard card = alibi.card();
        const std::vector<double> expected = values;
        ASSERT_EQ(card.slopes.size(), expected.size()) << heads;
        for (std::size_t h = 0; h < expected.size(); ++h) {
            EXPECT_NEAR(card.slopes[h], expected[h], 1e-12 * expected[h]) << heads << " heads, head " << h;
        }
    }
}

TEST(Alibi, BiasOfEveryPair) {
    const nlohmann::json example = oracle("alibi_slopes.json")["bias_example"];
    const LoneEncoding alibi("alibi", {}, heads_of(example["H"]));
    const PositionTerms terms = alibi.terms(Positions::consecutive(example["L"]));
    const EncodingCard card = alibi.card({.positions = {}, .length = 0, .distances = {0, 1, 2, 3, -2}});
    const Tensor table = terms.bias.table.value();
    for (Index h = 0; h < 2; ++h) {
        for (Index i = 0; i < 4; ++i) {
            for (Index j = 0; j <= i; ++j) {
                const double expected = example["bias"][h][i][j];
                const auto row = terms.bias.rows[static_cast<std::size_t>(i - j - terms.bias.first)];
                EXPECT_EQ(table.data()[h * table.size(1) + row], static_cast<Scalar>(expected));
                EXPECT_EQ(card.bias[h][static_cast<std::size_t>(i - j)], expected);
            }
        }
        EXPECT_EQ(card.bias[h][4], card.bias[h][2]);  // both sides
    }
    EXPECT_EQ(terms.logit_scale, 0);
    EXPECT_FALSE(terms.query || terms.embedding);
}

// -m (i - j) and +m j differ by a constant of each row, so that their softmax is the same.
TEST(Alibi, HasTheSoftmaxOfTheKeyOnlyForm) {
    constexpr Index length = 40, heads = 6;
    const LoneEncoding alibi("alibi", {}, heads_of(heads));
    const Positions positions = Positions::consecutive(length);
    const MutableTensor zero = Tensor::zeros({1, heads, length, 1}),
                        v = random_tensor({1, heads, length, 1}, 1);
    const Tensor out =
        attention_tiled(zero, zero, v, {alibi.terms(positions), positions, positions}, Mask{}).value();
    for (Index h = 0; h < heads; ++h) {
        for (Index i = 0; i < length; ++i) {
            double total = 0, sum = 0;
            for (Index j = 0; j <= i; ++j) {
                const double weight =
                    std::exp(alibi.card().slopes[static_cast<std::size_t>(h)] * static_cast<double>(j));
                total += weight;
                sum += weight * static_cast<double>(v.data()[h * length + j]);
            }
            EXPECT_NEAR(out.data()[i * heads + h], sum / total, is_double ? 1e-13 : 2e-6);
        }
    }
}

TEST(Alibi, NaiveSlopesDifferWhereTheHeadsAreNoPowerOfTwo) {
    for (Index heads = 1; heads <= 24; ++heads) {
        const LoneEncoding naive("alibi", {{"slopes", std::string("naive")}}, heads_of(heads));
        const LoneEncoding paper("alibi", {}, heads_of(heads));
        for (Index h = 0; h < heads; ++h) {
            const double expected = std::exp2(-8.0 * static_cast<double>(h + 1) / static_cast<double>(heads));
            EXPECT_NEAR(naive.card().slopes[static_cast<std::size_t>(h)], expected, 1e-15);
        }
        EXPECT_EQ(naive.card().slopes == paper.card().slopes, (heads & (heads - 1)) == 0) << heads;
    }
    EXPECT_NE(LoneEncoding("alibi", {{"slopes", std::string("naive")}})
                  .card()
                  .conventions["slopes"]
                  .find("not the authors'"),
              std::string::npos);
}

Choices learned() {
    return {{"slopes", std::string("learned")}};
}

TEST(Alibi, LearnedSlopesBeginAtThePapers) {
    for (Index heads : {4, 6}) {
        const LoneEncoding encoding("alibi", learned(), heads_of(heads)), paper("alibi", {}, heads_of(heads));
        ASSERT_EQ(encoding.store.parameters().size(), 1U);
        EXPECT_EQ(encoding.store.count(), heads);
        const auto slopes = encoding.card().slopes, expected = paper.card().slopes;
        for (std::size_t h = 0; h < expected.size(); ++h)
            EXPECT_EQ(slopes[h], static_cast<double>(static_cast<Scalar>(expected[h])));
        const Positions positions = Positions::consecutive(20, 5);
        EXPECT_EQ(largest_difference(encoding.terms(positions).bias.table.value(),
                                     paper.terms(positions).bias.table.value()),
                  0);
    }
}

// d bias / d slope = -|distance|: the gradient of the table flows to the slopes by itself.
TEST(Alibi, LearnedSlopesGetTheirGradient) {
    const LoneEncoding encoding("alibi", learned(), heads_of(3));
    const Tensor cotangent = random_tensor({3, 9}, 3);
    const Tensor flat = flat_gradient(encoding.store, cotangent,
                                      [&] { return encoding.terms(Positions::consecutive(9)).bias.table; });
    for (Index h = 0; h < 3; ++h) {
        double expected = 0;
        for (Index d = 0; d < 9; ++d)
            expected -= static_cast<double>(d) * static_cast<double>(cotangent.data()[h * 9 + d]);
        EXPECT_NEAR(flat.data()[h], expected, is_double ? 1e-13 : 1e-4);
    }
}

TEST(Alibi, IsSymmetricWithoutCausality) {
    EncodingShape shape = heads_of(4);
    shape.site = Site::self_bidirectional;
    const LoneEncoding open("alibi", {}, shape);
    const PositionTerms terms = open.terms(Positions::consecutive(5));
    EXPECT_EQ(terms.bias.first, -4);
    for (std::size_t d = 0; d < 9; ++d) EXPECT_EQ(terms.bias.rows[d], terms.bias.rows[8 - d]);
    EXPECT_NE(open.card().conventions["bias"].find("before and after"), std::string::npos);
    EXPECT_EQ(LoneEncoding("alibi").card().conventions["bias"].find("before and after"), std::string::npos);
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
