// Attention where nothing, or almost nothing, can be attended to; and what it refuses.
#include "framework/ops/attention.h"

#include <limits>

#include "tests/support/gradient_check.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

using Attention = Variable (*)(const Variable&, const Variable&, const Variable&, const AttentionTerms&,
                               const Mask&);

class Form : public testing::TestWithParam<Attention> {};
INSTANTIATE_TEST_SUITE_P(Attention, Form, testing::Values(attention_composed, attention_tiled),
                         [](const auto& form) { return form.index == 0 ? "composed" : "tiled"; });

// Queries 2 and 40 of 50 are of no segment, and key 45 has one of its own.
Mask with_blind_rows() {
    Mask mask{.causal = false, .query_segments = WorkVector<std::int32_t>(50, 0)};
    mask.key_segments = mask.query_segments;
    mask.query_segments[2] = mask.query_segments[40] = -1;
    mask.key_segments[45] = 7;
    return mask;
}

TEST_P(Form, BlindRowGivesZerosAndPassesNoGradient) {
    const std::vector<Tensor> inputs{random_tensor({1, 2, 50, 8}, 1), random_tensor({1, 2, 50, 8}, 2),
                                     random_tensor({1, 2, 50, 8}, 3)};
    const Op op = [&](Inputs v) { return GetParam()(v[0], v[1], v[2], {}, with_blind_rows()); };
    const Tensor out = op(std::vector<Variable>(inputs.begin(), inputs.end())).value();
    EXPECT_TRUE(std::isfinite(largest(out)));
    for (Index row : {2, 40}) EXPECT_EQ(largest(out.reshaped({50, 16}).rows(row, 1)), 0);
    EXPECT_GT(largest(out.reshaped({50, 16}).rows(3, 1)), 0);

    const auto gradients = tape_gradients(op, inputs, random_tensor(out.shape(), 4), {true, true, true});
    for (const Tensor& gradient : gradients) EXPECT_TRUE(std::isfinite(largest(gradient)));
    for (Index head : {0, 1}) {
        const auto row = [&](int input, Index place) {
            return largest(
                gradients[static_cast<std::size_t>(input)].reshaped({100, 8}).rows(50 * head + place, 1));
        };
        EXPECT_EQ(row(0, 2), 0);
        EXPECT_EQ(row(0, 40), 0);
        EXPECT_EQ(row(1, 45), 0);
        EXPECT_EQ(row(2, 45), 0);
        EXPECT_GT(row(0, 3), 0);
        EXPECT_GT(row(1, 44), 0);
    }
}

TEST_P(Form, NothingToSeeAtAll) {
    Mask mask{.query_segments = WorkVector<std::int32_t>(3, -1),
              .key_segments = WorkVector<std::int32_t>(3, -1)};
    const std::vector<Tensor> inputs(3, random_tensor({1, 1, 3, 4}, 1));
    const Op op = [&](Inputs v) { return GetParam()(v[0], v[1], v[2], {}, mask); };
    EXPECT_EQ(largest(op(std::vector<Variable>(inputs.begin(), inputs.end())).value()), 0);
    for (const Tensor& gradient :
         tape_gradients(op, inputs, Tensor::full({1, 3, 4}, 1), {true, true, true})) {
        EXPECT_EQ(largest(gradient), 0);
    }
}

// The same inputs under two masks.
double difference_of_masks(Attention form, const Mask& a, const Mask& b) {
    const Variable q = random_tensor({2, 2, 70, 8}, 1), k = random_tensor({2, 2, 70, 8}, 2);
    const Variable v = random_tensor({2, 2, 70, 8}, 3);
    return largest_difference(form(q, k, v, {}, a).value(), form(q, k, v, {}, b).value());
}

TEST_P(Form, WindowPastTheEndIsNoWindowBitForBit) {
    for (bool causal : {true, false}) {
        const Mask full{.causal = causal};
        EXPECT_EQ(difference_of_masks(GetParam(), {.causal = causal, .window = 70}, full), 0);
        EXPECT_EQ(difference_of_masks(GetParam(), {.causal = causal, .window = 1000}, full), 0);
        EXPECT_EQ(difference_of_masks(GetParam(), {.causal = causal, .window = 2, .global = 70}, full), 0);
        EXPECT_GT(difference_of_masks(GetParam(), {.causal = causal, .window = 69}, full), 1e-6);
        EXPECT_GT(difference_of_masks(GetParam(), {.causal = causal, .window = 70, .dilation = 2}, full),
                  1e-3);
    }
}

// Rows that a mask leaves out are zeros, so that global and local rows add up to the whole.
TEST_P(Form, GlobalAndLocalRowsAddUp) {
    const Variable q = random_tensor({1, 2, 70, 8}, 1), k = random_tensor({1, 2, 70, 8}, 2);
    for (bool causal : {true, false}) {
        Mask mask{.causal = causal, .window = 3, .global = 5};
        const Tensor whole = GetParam()(q, k, k, {}, mask).value();
        mask.rows = Mask::Rows::local;
        const Tensor local = GetParam()(q, k, k, {}, mask).value();
        mask.rows = Mask::Rows::global;
        const Tensor global = GetParam()(q, k, k, {}, mask).value();
        const auto part = [](const Tensor& t, Index begin, Index count) {
            return t.reshaped({70, 16}).rows(begin, count);
        };
        EXPECT_EQ(largest(part(local, 0, 5)), 0);
        EXPECT_EQ(largest(part(global, 5, 65)), 0);
        const double limit = is_double ? 1e-14 : 1e-6;  // tiles begin elsewhere
        expect_close(part(local, 5, 65), part(whole, 5, 65), limit, "local rows");
        expect_close(part(global, 0, 5), part(whole, 0, 5), limit, "global rows");
    }
}

// Query 256 and those after it see keys 128 back and themselves: a tile of keys between is not looked at, and
// even a NaN there does not spoil their rows.
TEST(Tiles, OfADilatedWindowThatNoQuerySeesAreSkipped) {
    const Tensor q = random_tensor({1, 1, 288, 4}, 1), k = random_tensor({1, 1, 288, 4}, 2);
    const MutableTensor v = random_tensor({1, 1, 288, 4}, 3);
    const Tensor before = attention_tiled(q, k, v, {}, {.window = 2, .dilation = 128}).value();
    v.reshaped({288, 4}).rows(224, 32).fill(std::numeric_limits<Scalar>::quiet_NaN());
    const Tensor after = attention_tiled(q, k, v, {}, {.window = 2, .dilation = 128}).value();
    const auto last = [](const Tensor& t) { return t.reshaped({288, 4}).rows(256, 32); };
    EXPECT_EQ(largest_difference(last(after), last(before)), 0);
    EXPECT_TRUE(std::isnan(largest(after.reshaped({288, 4}).rows(224, 1))));
}

// A finite stand-in for -inf would let the hidden key win.
TEST_P(Form, HiddenKeyNeverWins) {
    const MutableTensor q = Tensor::full({1, 1, 1, 1}, 1);
    const Tensor k = tensor_of({1, 1, 2, 1}, {-2e9, 0}), v = tensor_of({1, 1, 2, 1}, {1, 100});
    EXPECT_EQ(GetParam()(q, k, v, {{.logit_scale = 1}, {}, {}}, Mask{.causal = false, .window = 1})
                  .value()
                  .data()[0],
              1);
    Mask segments{.causal = false, .query_segments = {0}, .key_segments = {0, 1}};
    EXPECT_EQ(GetParam()(q, k, v, {{.logit_scale = 1}, {}, {}}, segments).value().data()[0], 1);
}

TEST_P(Form, NanInAnyInputReachesTheOutput) {
    for (int input = 0; input < 3; ++input) {
        std::vector<MutableTensor> v;
        for (int i = 0; i < 3; ++i) v.push_back(random_tensor({1, 1, 40, 4}, 1));
        v[static_cast<std::size_t>(input)].data()[30 * 4] = std::numeric_limits<Scalar>::quiet_NaN();
        EXPECT_TRUE(std::isnan(largest(GetParam()(v[0], v[1], v[2], {}, Mask{}).value()))) << input;
    }
}

TEST_P(Form, ScaleIsThatOfTheHeadUnlessGiven) {
    const Tensor q = random_tensor({1, 1, 5, 4}, 1), k = random_tensor({1, 1, 5, 4}, 2);
    const auto out = [&](double scale) {
        return GetParam()(q, k, k, {{.logit_scale = static_cast<Scalar>(scale)}, {}, {}}, Mask{}).value();
    };
    EXPECT_EQ(largest_difference(out(0), out(0.5)), 0);
    EXPECT_GT(largest_difference(out(0), out(1)), 1e-3);
}

TEST_P(Form, RefusesWhatDoesNotFit) {
    const auto t = [](Shape shape) { return Variable(random_tensor(shape, 1)); };
    const auto run = [&](Shape q, Shape k, Shape v, const AttentionTerms& terms = {}) {
        return GetParam()(t(q), t(k), t(v), terms, Mask{});
    };
    EXPECT_THROW(run({1, 3, 4, 8}, {1, 2, 4, 8}, {1, 2, 4, 8}), Error);
    EXPECT_THROW(run({1, 2, 4, 8}, {1, 2, 4, 6}, {1, 2, 4, 6}), Error);
    EXPECT_THROW(run({1, 2, 4, 8}, {1, 2, 4, 8}, {1, 2, 5, 8}), Error);
    EXPECT_THROW(run({2, 4, 8}, {2, 4, 8}, {2, 4, 8}), Error);
    EXPECT_THROW(run({1, 2, 5, 8}, {1, 2, 4, 8}, {1, 2, 4, 8}), Error);  // causal, more queries than keys
    AttentionTerms terms{{}, Positions::consecutive(4), Positions::consecutive(4)};
    terms.bias = {t({2, 7}), -3, {0, 1, 2, 3, 4, 5, 6}};
    EXPECT_NO_THROW(run({1, 2, 4, 8}, {1, 2, 4, 8}, {1, 2, 4, 8}, terms));
    terms.bias.rows.pop_back();  // the greatest distance has no row
    EXPECT_THROW(run({1, 2, 4, 8}, {1, 2, 4, 8}, {1, 2, 4, 8}, terms), Error);
    terms.bias = {t({2, 7}), -3, {0, 1, 2, 3, 4, 5, 7}};  // a row past the table's end
    EXPECT_THROW(run({1, 2, 4, 8}, {1, 2, 4, 8}, {1, 2, 4, 8}, terms), Error);
    terms.bias = {t({3, 7}), -3, {0, 1, 2, 3, 4, 5, 6}};  // three heads
    EXPECT_THROW(run({1, 2, 4, 8}, {1, 2, 4, 8}, {1, 2, 4, 8}, terms), Error);
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
