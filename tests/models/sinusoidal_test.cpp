#include "tests/models/support.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

EncodingShape width_of(Index width) {
    return {width, 1, 1, width, 1, 64, Site::self_causal};
}

LoneEncoding sinusoidal(const std::string& layout, Index width, bool scale_tokens = true) {
    return LoneEncoding("sinusoidal", {{"layout", layout}, {"scale_tokens", scale_tokens}}, width_of(width));
}

TEST(Sinusoidal, TablesOfThreeLayouts) {
    const nlohmann::json data = oracle("sinusoidal.json");
    const std::vector<std::int64_t> positions = data["positions"];
    for (const auto& [layout, name] :
         {std::pair<std::string, std::string>{"interleaved", "paper_interleaved"},
          {"concatenated", "concat"},
          {"tensor2tensor", "tensor2tensor"}}) {
        const LoneEncoding encoding = sinusoidal(layout, 8);
        const EncodingCard card = encoding.card({.positions = positions, .length = 0, .distances = {}});
        const Tensor table = encoding.terms(Positions(1, static_cast<Index>(positions.size()), 1, positions))
                                 .embedding.value();
        ASSERT_EQ(table.shape(), (Shape{1, 9, 8}));
        for (std::size_t p = 0; p < positions.size(); ++p) {
            for (std::size_t i = 0; i < 8; ++i) {
                const double expected = data[name][p][i];
                EXPECT_NEAR(card.embedding[p][i], expected, 1e-12)
                    << layout << " " << positions[p] << " " << i;
                EXPECT_EQ(table.data()[p * 8 + i], static_cast<Scalar>(card.embedding[p][i]));
            }
        }
    }
}

TEST(Sinusoidal, OddWidthEndsWithASine) {
    const EncodingCard card =
        sinusoidal("interleaved", 5).card({.positions = {1}, .length = 0, .distances = {}});
    const double expected[] = {0.8414710, 0.5403023, 0.0251162, 0.9996845, 0.0006310};
    ASSERT_EQ(card.embedding[0].size(), 5U);
    for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(card.embedding[0][i], expected[i], 6e-8);
    EXPECT_THROW(sinusoidal("concatenated", 5), Error);
    EXPECT_THROW(sinusoidal("tensor2tensor", 5), Error);
    EXPECT_THROW(sinusoidal("tensor2tensor", 2), Error);
}

TEST(Sinusoidal, ScalesTokensAsThePaperDoes) {
    const Positions positions = Positions::consecutive(2);
    EXPECT_EQ(sinusoidal("interleaved", 16).terms(positions).token_scale, 4);
    EXPECT_EQ(sinusoidal("interleaved", 16, false).terms(positions).token_scale, 1);
}

TEST(Sinusoidal, TokensWithoutAPositionGetNothing) {
    const Tensor table =
        sinusoidal("interleaved", 8).terms(Positions(1, 2, 1, {Positions::none, 5})).embedding.value();
    EXPECT_EQ(largest(table.reshaped({2, 8}).rows(0, 1)), 0);
    EXPECT_GT(largest(table.reshaped({2, 8}).rows(1, 1)), 0.5);
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
