// Sums over many keys or tokens, in the precision of the build, against plain loops in double.
#include <cmath>
#include <functional>
#include <numeric>

#include "framework/ops/content_positions.h"
#include "framework/ops/pairs.h"
#include "framework/ops/reduce.h"
#include "framework/ops/shape.h"
#include "tests/support/gradient_check.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

constexpr double spacing = std::numeric_limits<Scalar>::epsilon();  // of the numbers from 1 on
constexpr Index max_queries = 3;
constexpr double once = is_double ? 100 : 0.5001;  // roundings of a sum that is rounded at its end only

class LongSums : public testing::TestWithParam<Index> {};

INSTANTIATE_TEST_SUITE_P(Keys, LongSums, testing::Values(256, 1024, 4096));

std::vector<double> in_double(const Tensor& x) {
    return {x.data(), x.data() + x.count()};
}

// Every entry to `units` roundings of its own size; sums that cancel, to as many of 1e-3 of the largest.
void expect_rounded(const Tensor& found, const std::vector<double>& exact, double units, const char* what) {
    ASSERT_EQ(found.count(), static_cast<Index>(exact.size())) << what;
    double max = 0, error = 0;
    for (double value : exact) max = std::max(max, std::abs(value));
    for (std::size_t i = 0; i < exact.size(); ++i) {
        const double off = std::abs(static_cast<double>(found.data()[i]) - exact[i]);
        error = std::max(error, off / std::max(std::abs(exact[i]), 1e-3 * max));
    }
    EXPECT_LE(error, units * spacing) << what;
}

Tensor gates(Index keys) {
    return sigmoid(random_tensor({max_queries, keys}, 1)).value();
}

std::vector<double> sums_from_the_end(const Tensor& x) {
    std::vector<double> sums = in_double(x);
    const Index width = x.size(-1);
    for (Index i = x.count() - 1; i-- > 0;) {
        if (i % width != width - 1)
            sums[static_cast<std::size_t>(i)] += sums[static_cast<std::size_t>(i + 1)];
    }
    return sums;
}

TEST_P(LongSums, ContextualPositions) {
    const Tensor x = gates(GetParam());
    expect_rounded(suffix_sums(x).value(), sums_from_the_end(x), once, "positions");
}

TEST_P(LongSums, GradientOfContextualPositions) {
    const Index keys = GetParam();
    const Tensor x = gates(keys), cotangent = random_tensor(x.shape(), 2);
    std::vector<double> exact = in_double(cotangent);
    for (std::size_t i = 1; i < exact.size(); ++i) {
        if (static_cast<Index>(i) % keys != 0) exact[i] += exact[i - 1];
    }
    const auto found = tape_gradients([](Inputs v) { return suffix_sums(v[0]); }, {x}, cotangent, {true});
    expect_rounded(found[0], exact, once, "gates");
}

// The term of CoPE from its gates on, at positions that are rounded once, some of them cut.
TEST_P(LongSums, GradientOfContextualTerms) {
    const auto keys = static_cast<std::size_t>(GetParam()), rows = keys * 2 / 5;
    const Tensor x = gates(GetParam()), cotangent = random_tensor(x.shape(), 2),
                 entries = random_tensor({max_queries, static_cast<Index>(rows)}, 3);
    const auto max = static_cast<Scalar>(rows - 1);
    const std::vector<double> sums = sums_from_the_end(x), e = in_double(entries), dy = in_double(cotangent);
    std::vector<double> dentries(e.size(), 0.0), dgates(dy.size(), 0.0);
    for (std::size_t i = 0; i < dy.size(); ++i) {
        const auto place = static_cast<double>(std::min(static_cast<Scalar>(sums[i]), max));
        const std::size_t below = std::min(static_cast<std::size_t>(place), rows - 2),
                          at = i / keys * rows + below;
        const double share = place - static_cast<double>(below);
        dentries[at] += (1 - share) * dy[i];
        dentries[at + 1] += share * dy[i];
        const double slope = sums[i] > place && place == static_cast<double>(max) ? 0 : e[at + 1] - e[at];
        dgates[i] = slope * dy[i] + (i % keys == 0 ? 0 : dgates[i - 1]);
    }
    const auto found =
        tape_gradients([&](Inputs v) { return interpolate(v[0], clamp_max(suffix_sums(v[1]), max)); },
                       {entries, x}, cotangent, {true, true});
    expect_close(found[0], tensor_of(entries.shape(), dentries), 8 * spacing, "entries");
    expect_close(found[1], tensor_of(x.shape(), dgates), 8 * spacing, "gates");
}

// All places at the last entry, as where positions are cut.
TEST_P(LongSums, GradientOfOneEntry) {
    const Index keys = GetParam();
    const Tensor entries = random_tensor({1, 4}, 1), places = Tensor::full({1, keys}, 3);
    const MutableTensor cotangent = random_tensor({1, keys}, 2);
    for (Scalar& value : cotangent.values()) value = std::abs(value);
    const auto values = in_double(cotangent);
    const auto found = tape_gradients([&](Inputs v) { return interpolate(v[0], Variable(places)); },
                                      {entries}, cotangent, {true});
    expect_rounded(found[0], {0, 0, 0, std::accumulate(values.begin(), values.end(), 0.0)}, once, "entry");
}

// Positive numbers, whose sum grows with every one.
Tensor magnitudes(const Shape& shape) {
    const MutableTensor x = random_tensor(shape, 4);
    for (Scalar& value : x.values()) value = std::abs(value);
    return x;
}

TEST_P(LongSums, OfAllAndOfTheLastAxis) {
    const Tensor x = magnitudes({2, GetParam()});
    const auto v = in_double(x);
    const auto middle = v.begin() + GetParam();
    const double first = std::accumulate(v.begin(), middle, 0.0),
                 second = std::accumulate(middle, v.end(), 0.0);
    expect_rounded(sum_last(x).value(), {first, second}, once, "sum_last");
    expect_rounded(sum_all(x).value(), {first + second}, once, "sum_all");
}

// What is met by every token: its gradient is a sum over them all.
TEST_P(LongSums, GradientsOfWhatManyTokensShare) {
    const Index keys = GetParam();
    const Tensor cotangent = magnitudes({1, keys});
    const auto v = in_double(cotangent);
    const double sum = std::accumulate(v.begin(), v.end(), 0.0);
    const std::vector<std::pair<const char*, Op>> ops = {
        {"repeated",
         [&](Inputs x) {
             return add(Variable(Tensor::zeros({1, keys})), x[0]);
         }},
        {"take_columns",
         [&](Inputs x) {
             return take_columns(x[0], WorkVector<std::int32_t>(static_cast<std::size_t>(keys), 0));
         }},
        {"take_pairs", [&](Inputs x) {
             const PairRows pairs{1, 1, keys, WorkVector<std::int32_t>(static_cast<std::size_t>(keys), 0)};
             return reshape(take_pairs(reshape(x[0], {1, 1, 1, 1}), pairs), {1, keys});
         }}};
    for (const auto& [name, op] : ops)
        expect_rounded(tape_gradients(op, {random_tensor({1, 1}, 1)}, cotangent, {true})[0], {sum}, once,
                       name);
    const PairRows pairs{1, 1, keys, WorkVector<std::int32_t>(static_cast<std::size_t>(keys), 0)};
    expect_rounded(sum_pairs(cotangent.reshaped({1, 1, 1, keys}), pairs, 1).value(), {sum}, once,
                   "sum_pairs");
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
