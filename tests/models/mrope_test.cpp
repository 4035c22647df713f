#include <cstring>

#include "tests/models/rotary_support.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

std::vector<Index> axes_of(const std::string& sections, bool interleaved, Index pairs) {
    return LoneEncoding("mrope", {{"mrope_section", sections}, {"mrope_interleaved", interleaved}},
                        head_of(2 * pairs))
        .card()
        .pair_axis;
}

TEST(Mrope, MapsPairsToAxes) {
    const nlohmann::json data = oracle("mrope.json");
    const auto map = [&](const char* name) { return data[name].get<std::vector<Index>>(); };
    EXPECT_EQ(axes_of("16,24,24", false, 64), map("chunked_16_24_24"));
    EXPECT_EQ(axes_of("24,20,20", true, 64), map("interleaved_24_20_20"));
    EXPECT_EQ(axes_of("2, 3, 3", false, 8), map("small_chunked_2_3_3"));
    EXPECT_EQ(axes_of("4,2,2", true, 8), map("small_interleaved_4_2_2"));
    // by default, in the proportions of the papers
    EXPECT_EQ(axes_of("", false, 64), map("chunked_16_24_24"));
    EXPECT_EQ(axes_of("", true, 64), map("interleaved_24_20_20"));
    EXPECT_EQ(axes_of("", false, 8), map("small_chunked_2_3_3"));
    EXPECT_EQ(axes_of("", true, 8), map("small_interleaved_4_2_2"));
}

TEST(Mrope, EveryDefaultCoversEveryPairOnceAndEveryAxis) {
    for (Index pairs = 3; pairs <= 128; ++pairs) {
        for (bool interleaved : {false, true}) {
            const std::vector<Index> axes = axes_of("", interleaved, pairs);
            ASSERT_EQ(static_cast<Index>(axes.size()), pairs);
            for (Index axis : {0, 1, 2}) EXPECT_GE(std::count(axes.begin(), axes.end(), axis), 1) << pairs;
        }
    }
}

TEST(Mrope, RefusesSectionsThatDoNotFitNamingBothNumbers) {
    const auto message = [](const std::string& sections, bool interleaved = false) {
        return refusal_of("mrope", {{"mrope_section", sections}, {"mrope_interleaved", interleaved}},
                          head_of(128));
    };
    expect_mentions(message("16,24,25"), {"16,24,25", "65", "64"});
    expect_mentions(message("32,48,48"), {"128", "64"});  // dimensions in place of pairs
    expect_mentions(message("16,24,24", true),
                    {"16,24,24", "21", "24"});  // only 21 of 64 pairs are 1, 4, ...
    for (const char* text :
         {"16,24", "16,24,24,0", "16;24;24", "a,b,c", "-1,40,25", "16,,48", "16,24,24,", "1.5,2,3"})
        expect_mentions(message(text), {text, "16,24,24"});
    EXPECT_EQ(message("0,32,32"), "");  // images only
    expect_mentions(refusal_of("mrope", {}, head_of(15)), {"15"});
}

TEST(Mrope, PositionsOfTextWithAnImageOrAVideo) {
    const nlohmann::json data = oracle("mrope.json");
    const auto check = [](const VisualPositions& actual, const nlohmann::json& expected) {
        const Positions positions = actual.positions();
        const char* names[] = {"t", "h", "w"};
        for (Index axis : {0, 1, 2}) {
            const std::vector<std::int64_t> values = expected[names[axis]];
            ASSERT_EQ(positions.length(), static_cast<Index>(values.size()));
            for (std::size_t t = 0; t < values.size(); ++t)
                EXPECT_EQ(positions(0, static_cast<Index>(t), axis), values[t]) << names[axis] << t;
        }
        EXPECT_EQ(actual.rope_delta(), expected["rope_delta"].get<std::int64_t>());
    };
    check(VisualPositions().text(3).block(1, 2, 3).text(2), data["position_ids_text3_image1x2x3_text2"]);
    check(VisualPositions().block(3, 2, 2).text(5), data["position_ids_video3x2x2_text5"]);
}

bool same_bits(const Variable& a, const Variable& b) {
    return a.shape() == b.shape() &&
           std::memcmp(a.value().data(), b.value().data(),
                       static_cast<std::size_t>(a.value().count()) * sizeof(Scalar)) == 0;
}

// Text, with one axis or with three equal ones, is plain RoPE to the last bit.
TEST(Mrope, OnTextIsRopeBitForBit) {
    for (const bool interleaved : {false, true}) {
        const Choices choices{{"mrope_interleaved", interleaved}};
        const LoneEncoding rope("rope"), mrope("mrope", choices);
        const PositionTerms plain = rope.terms(Positions::consecutive(300)),
                            one = mrope.terms(Positions::consecutive(300)),
                            three = mrope.terms(VisualPositions().text(300).positions());
        for (const PositionTerms* terms : {&one, &three}) {
            EXPECT_TRUE(same_bits(terms->query.cos, plain.query.cos));
            EXPECT_TRUE(same_bits(terms->key.sin, plain.key.sin));
        }
        const auto model = make_model(encoding_options("mrope", choices), small_model()),
                   bare = make_model(encoding_options("rope"), small_model());
        Sample sample(2, 40);
        const Tensor expected = bare->logits(sample.input()).value();
        EXPECT_TRUE(same_bits(model->logits(sample.input()).value(), expected));
        sample.positions = VisualPositions().text(40).positions();
        EXPECT_TRUE(same_bits(model->logits(sample.input()).value(), expected));
    }
}

// A pair turns as RoPE does at its own axis's number.
TEST(Mrope, EachPairReadsItsAxis) {
    const LoneEncoding rope("rope", {}, head_of(16)), mrope("mrope", {}, head_of(16));
    const Positions video = VisualPositions().text(5).block(3, 4, 2).text(2).positions();
    const Tensor actual = mrope.terms(video).query.cos.value();
    const std::vector<Index> axes = mrope.card().pair_axis;
    for (Index t = 0; t < video.length(); ++t) {
        for (Index i = 0; i < 8; ++i) {
            const Tensor expected =
                rope.terms(at({video(0, t, axes[static_cast<std::size_t>(i)])})).query.cos.value();
            EXPECT_EQ(actual.data()[t * 8 + i], expected.data()[i]) << t << ", " << i;
        }
    }
    EXPECT_EQ(mrope.card().inv_freq, rope.card().inv_freq);
}

TEST(Mrope, TakesTokensWithoutAPosition) {
    const LoneEncoding mrope("mrope", {}, head_of(16));
    constexpr auto none = Positions::none;
    const PositionTerms terms = mrope.terms(Positions(1, 2, 3, {none, none, none, 1, 1, 1}));
    expect_angles(terms.query, {std::vector<double>(8, 0.0), mrope.card().inv_freq});
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
