#include "tests/models/rotary_support.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

const Choices eva{{"base", 10000.0}, {"axis_order", std::string("row_first")}};

TEST(Rope2d, AnglesOfEvaAndOfRopeVit) {
    const nlohmann::json data = oracle("rope_2d.json");
    const Positions grid = grid_positions(data["grid_HW"][0], data["grid_HW"][1]);
    const EncodingShape head = head_of(data["d"]);
    const LoneEncoding rows("rope_2d", eva, head), columns("rope_2d", {}, head);
    expect_angles(rows.terms(grid).query, data["eva_theta10000_angles"]);
    expect_angles(columns.terms(grid).query, data["ropevit_axial_theta100_angles"]);
    // row 1, column 1 has every pair's frequency
    expect_relative(rows.card().inv_freq, data["eva_theta10000_angles"][5], 1e-12);
    expect_relative(columns.card().inv_freq, data["ropevit_axial_theta100_angles"][5], 1e-12);
    EXPECT_EQ(rows.card().pair_axis, (std::vector<Index>{0, 0, 0, 0, 1, 1, 1, 1}));
    EXPECT_EQ(columns.card().pair_axis, (std::vector<Index>{1, 1, 1, 1, 0, 0, 0, 0}));
    EXPECT_EQ(columns.terms(grid).query.pairing, Pairing::interleaved);
}

// Columns for rows and the first half of the head for the second: the same rotation.
TEST(Rope2d, TransposingTheGridSwapsTheHalves) {
    const LoneEncoding rope("rope_2d", {}, head_of(16));
    const Tensor x = random_tensor({1, 1, 3, 16}, 1);
    const auto swapped = [](const Tensor& from) {
        MutableTensor to = Tensor::empty(from.shape());
        for (Index k = 0; k < from.count(); ++k) to.data()[k] = from.data()[k / 16 * 16 + (k + 8) % 16];
        return to;
    };
    const Positions straight(1, 3, 2, {0, 1, 3, 2, 7, 5}), transposed(1, 3, 2, {1, 0, 2, 3, 5, 7});
    const Tensor a = rotate(x, rope.terms(transposed).query).value();
    const Tensor b = swapped(rotate(swapped(x), rope.terms(straight).query).value());
    EXPECT_EQ(largest_difference(a, b), 0);
    EXPECT_GT(largest_difference(a, rotate(x, rope.terms(straight).query).value()), 0.1);
}

// A grid twice as fine as the one that was trained on: every second cell stands on an old one.
TEST(Rope2d, InterpolatesToAnotherGrid) {
    Choices finer = eva;
    finer.push_back({"pt_seq_len", Index{4}});
    finer.push_back({"ft_seq_len", Index{8}});
    const LoneEncoding fine("rope_2d", finer, head_of(16)), plain("rope_2d", eva, head_of(16));
    const Positions even(1, 3, 2, {0, 0, 2, 4, 6, 2}), cells(1, 3, 2, {0, 0, 1, 2, 3, 1}),
        odd(1, 1, 2, {1, 3});
    EXPECT_LE(largest_difference(fine.terms(even).query.cos.value(), plain.terms(cells).query.cos.value()),
              rounding);
    EXPECT_NEAR(fine.terms(odd).query.sin.value().data()[0], std::sin(0.5), rounding);
    EXPECT_NEAR(fine.terms(odd).query.sin.value().data()[4], std::sin(1.5), rounding);
    EXPECT_EQ(fine.card().inv_freq[0], 0.5);
    Choices unchanged = eva;
    unchanged.push_back({"pt_seq_len", Index{4}});
    EXPECT_EQ(LoneEncoding("rope_2d", unchanged, head_of(16)).card().inv_freq, plain.card().inv_freq);
    expect_mentions(refusal_of("rope_2d", {{"ft_seq_len", Index{8}}}, head_of(16)), {"8", "pt_seq_len"});
}

TEST(Rope2d, DoesNotTurnTheClassToken) {
    const LoneEncoding rope("rope_2d", {}, head_of(8));
    const PositionTerms terms = rope.terms(grid_positions(2, 2, true));
    for (Index i = 0; i < 4; ++i) {
        EXPECT_EQ(terms.query.cos.value().data()[i], 1);
        EXPECT_EQ(terms.query.sin.value().data()[i], 0);
    }
    EXPECT_NEAR(terms.query.sin.value().data()[2 * 4], std::sin(1.0), rounding);  // row 0, column 1
}

TEST(Rope2d, RefusesHeadsThatFourDoesNotDivide) {
    for (const char* kind : {"rope_2d", "rope_mixed"}) {
        expect_mentions(refusal_of(kind, {}, {24, 4, 4, 6, 1, 64, Site::self_causal}), {"6", "4", "24"});
        EXPECT_EQ(refusal_of(kind, {}, head_of(4)), "");
    }
}

struct MixedModel {
    explicit MixedModel(const EncodingShape& shape = {32, 2, 2, 16, 2, 64, Site::self_bidirectional})
        : rope("rope_mixed", {}, shape) {}

    // Frequency of pair i of a head by an axis.
    double frequency(Index layer, Index axis, Index head, Index pair) const {
        const Tensor freqs = rope.store.view(rope.store.values(), layer);
        return static_cast<double>(freqs.data()[axis * freqs.size(1) + head * 8 + pair]);
    }
    LoneEncoding rope;
};

TEST(RopeMixed, BeginsAsAxesInADirectionDrawnByHead) {
    const nlohmann::json example = oracle("rope_2d.json")["mixed_example"];
    const MixedModel model;
    ASSERT_EQ(model.rope.store.parameters().size(), 2U);
    EXPECT_EQ(model.rope.store.parameters()[1].name, "encoding.layers.1.freqs");
    EXPECT_EQ(model.rope.store.parameters()[1].shape, (Shape{2, 16}));
    EXPECT_FALSE(model.rope.store.parameters()[1].decayed);
    std::vector<double> drawn;
    for (Index layer : {0, 1}) {
        for (Index head : {0, 1}) {
            const double direction =
                std::atan2(model.frequency(layer, 0, head, 0), model.frequency(layer, 1, head, 0));
            drawn.push_back(direction);
            for (Index i = 0; i < 8; ++i) {
                const double fx = example["fx"][static_cast<std::size_t>(i)],
                             fy = example["fy"][static_cast<std::size_t>(i)];
                // the example's direction is 0.3
                const double angle = std::atan2(fy, fx) - 0.3 + direction, size = std::hypot(fx, fy);
                EXPECT_NEAR(model.frequency(layer, 1, head, i), size * std::cos(angle), rounding) << i;
                EXPECT_NEAR(model.frequency(layer, 0, head, i), size * std::sin(angle), rounding) << i;
            }
        }
    }
    std::sort(drawn.begin(), drawn.end());
    for (std::size_t k = 1; k < drawn.size(); ++k) EXPECT_GT(drawn[k] - drawn[k - 1], 1e-3);
}

TEST(RopeMixed, TurnsByBothAxes) {
    const nlohmann::json example = oracle("rope_2d.json")["mixed_example"];
    LoneEncoding rope("rope_mixed", {}, head_of(16));
    auto freqs = example["fy"].get<std::vector<double>>();
    const auto along_x = example["fx"].get<std::vector<double>>();
    freqs.insert(freqs.end(), along_x.begin(), along_x.end());
    set_parameter(rope.store, 0, freqs);
    const Positions place(1, 2, 2, {2, 3, Positions::none, Positions::none});  // y 2, x 3
    expect_angles(rope.terms(place).query, {example["angles_at_x3_y2"], std::vector<double>(8, 0.0)});
    const EncodingCard card = rope.card();
    ASSERT_EQ(card.learned_inv_freq.size(), 1U);
    EXPECT_NEAR(card.learned_inv_freq[0][0][1], example["fy"][1].get<double>(), rounding);
    EXPECT_NEAR(card.learned_inv_freq[0][1][1], example["fx"][1].get<double>(), rounding);
    EXPECT_TRUE(rope.encoding->varies_by_layer());
}

// Query heads that share a key head turn as it does: otherwise no logit would depend on distances only.
TEST(RopeMixed, GroupedHeadsShareTheFrequenciesOfTheirKey) {
    const MixedModel model({64, 4, 2, 16, 1, 64, Site::self_causal});
    const PositionTerms terms = model.rope.terms(grid_positions(2, 3));
    ASSERT_EQ(terms.query.cos.shape(), (Shape{1, 4, 6, 8}));
    ASSERT_EQ(terms.key.cos.shape(), (Shape{1, 2, 6, 8}));
    for (Index head = 0; head < 4; ++head) {
        for (Index k = 0; k < 48; ++k) {
            EXPECT_EQ(terms.query.sin.value().data()[head * 48 + k],
                      terms.key.sin.value().data()[head / 2 * 48 + k]);
        }
    }
    EXPECT_GT(std::abs(terms.key.sin.value().data()[47] - terms.key.sin.value().data()[95]), 1e-4);
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
