// What an encoding knows of position, shown by moving tokens and positions about.
#include "tests/models/support.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

constexpr double same = is_double ? 1e-11 : 1e-4, different = 1e-2;

class Property : public EachEncoding {};
INSTANTIATE_TEST_SUITE_P(Encodings, Property, every_encoding(), encoding_name);

// Difference between the logits of permuted tokens and the permuted logits.
double break_of_equivariance(const std::string& kind, bool causal) {
    const auto model = make_model(encoding_options(kind), small_model(), {.causal = causal});
    const Sample sample = sample_for(kind, 1, 12);
    const std::vector<Index> order = permutation(12, RandomStream(5, Purpose::test, {}));
    Sample moved = sample;
    for (std::size_t i = 0; i < 12; ++i) moved.tokens[i] = sample.tokens[static_cast<std::size_t>(order[i])];
    const Tensor before = model->logits(sample.input()).value(), after = model->logits(moved.input()).value();
    MutableTensor expected = Tensor::empty(before.shape());
    for (std::size_t i = 0; i < 12; ++i) {
        std::copy_n(before.data() + order[i] * 11, 11, expected.data() + static_cast<Index>(i) * 11);
    }
    return largest_difference(after, expected);
}

TEST_P(Property, OnlyNoPositionWithoutAMaskIsEquivariant) {
    EXPECT_GT(break_of_equivariance(GetParam(), true), different);
    if (GetParam() == "nope") {
        EXPECT_LT(break_of_equivariance(GetParam(), false), same);
    } else if (EncodingRegistry::instance().at(GetParam()).causal_only) {
        EXPECT_THROW(break_of_equivariance(GetParam(), false), Error);
    } else {
        EXPECT_GT(break_of_equivariance(GetParam(), false), different);
    }
}

double change_by_shift(const std::string& kind, std::int64_t by) {
    const Choices longer = kind == "learned" ? Choices{{"max_length", Index{100}}} : Choices{};
    const auto model = make_model(encoding_options(kind, longer), small_model());
    Sample sample(1, 12);
    const Tensor before = model->logits(sample.input()).value();
    sample.positions = Positions::consecutive(12, by);
    return largest_difference(model->logits(sample.input()).value(), before);
}

TEST(Shift, LeavesRelativeEncodingsAlone) {
    for (const char* kind :
         {"nope", "rope", "alibi", "t5", "kerple", "mrope", "xpos", "shaw", "transformer_xl", "cope"}) {
        EXPECT_LT(change_by_shift(kind, 30), same) << kind;
        EXPECT_LT(change_by_shift(kind, 1000), is_double ? 1e-10 : 1e-3) << kind;
    }
}

TEST(Shift, ChangesAbsoluteEncodings) {
    for (const char* kind : {"sinusoidal", "learned"})
        EXPECT_GT(change_by_shift(kind, 30), different) << kind;
}

// The logits of a grid of 3 x 4 cells that begins at (row, column).
Tensor grid_logits(const Transformer& model, std::int64_t row, std::int64_t column) {
    Sample sample(1, 12);
    std::vector<std::int64_t> values;
    for (Index p = 0; p < 12; ++p) values.insert(values.end(), {row + p / 4, column + p % 4});
    sample.positions = Positions(1, 12, 2, values);
    return model.logits(sample.input()).value();
}

TEST(Shift, OfAllRowsOrColumnsLeavesGridRotationsAlone) {
    for (const char* kind : {"rope_2d", "rope_mixed", "learned_2d", "vit"}) {
        const auto model = make_model(encoding_options(kind), small_model());
        const Tensor before = grid_logits(*model, 0, 0);
        const bool relative = std::string(kind).starts_with("rope");
        for (const auto& [row, column] : {std::pair{4, 0}, std::pair{0, 3}, std::pair{5, 4}}) {
            const double change = largest_difference(grid_logits(*model, row, column), before);
            EXPECT_EQ(change < same, relative) << kind << " " << row << ", " << column << ": " << change;
            EXPECT_EQ(change > different, !relative)
                << kind << " " << row << ", " << column << ": " << change;
        }
    }
}

TEST_P(Property, LaterTokensDoNotReachBack) {
    for (const MaskOptions& mask : {MaskOptions{}, MaskOptions{.window = 5, .global = 2}}) {
        const auto model = make_model(encoding_options(GetParam()), small_model(), mask);
        Sample sample = sample_for(GetParam(), 2, 40);
        const Tensor before = model->logits(sample.input()).value().clone();
        for (std::size_t i : {25U, 65U}) sample.tokens[i] = (sample.tokens[i] + 1) % 11;  // place 25 of both
        const Tensor after = model->logits(sample.input()).value();
        for (Index b : {0, 1}) {
            const auto part = [&](const Tensor& t, Index begin, Index count) {
                return t.reshaped({80, 11}).rows(40 * b + begin, count);
            };
            EXPECT_LT(largest_difference(part(after, 0, 25), part(before, 0, 25)), same);
            EXPECT_GT(largest_difference(part(after, 25, 1), part(before, 25, 1)), different);
            EXPECT_GT(largest_difference(part(after, 26, 14), part(before, 26, 14)), 1e-3);
        }
    }
}

TEST_P(Property, SequencesOfABatchDoNotMeet) {
    const auto model = make_model(encoding_options(GetParam()), small_model());
    const Sample both = sample_for(GetParam(), 2, 30);
    const Tensor on_every_rank = model->logits(both.input()).value().reshaped({60, 11});
    for (Index b : {0, 1}) {
        Sample one = sample_for(GetParam(), 1, 30);
        one.tokens.assign(both.tokens.begin() + 30 * b, both.tokens.begin() + 30 * (b + 1));
        const Tensor alone = model->logits(one.input()).value().reshaped({30, 11});
        EXPECT_LT(largest_difference(alone, on_every_rank.rows(30 * b, 30)), same);
    }
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
