// Forward passes against Eigen, which shares no code with the ops.
#include <Eigen/Dense>

#include "framework/ops/elementwise.h"
#include "framework/ops/embedding.h"
#include "framework/ops/loss.h"
#include "framework/ops/matmul.h"
#include "framework/ops/norm.h"
#include "framework/ops/reduce.h"
#include "framework/ops/shape.h"
#include "framework/ops/softmax.h"
#include "tests/support/tensors.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double limit = is_double ? 1e-14 : 2e-6;

// Matrix `index` of a stack, in double.
Matrix matrix(const Tensor& t, Index index = 0) {
    const Index rows = t.size(-2), columns = t.size(-1);
    Matrix m(rows, columns);
    for (Index i = 0; i < m.size(); ++i) m.data()[i] = static_cast<double>(t.data()[index * m.size() + i]);
    return m;
}

void expect_near(const Matrix& actual, const Matrix& expected) {
    ASSERT_EQ(actual.rows(), expected.rows());
    ASSERT_EQ(actual.cols(), expected.cols());
    EXPECT_LE((actual - expected).cwiseAbs().maxCoeff(), limit * (1 + expected.cwiseAbs().maxCoeff()));
}

TEST(Reference, Matmul) {
    for (Index n : {1, 3, 17, 64}) {
        const Tensor a = random_tensor({2, 3, 5, n}, 1), b = random_tensor({2, 3, n, 7}, 2);
        const Tensor transposed = random_tensor({2, 3, 7, n}, 3);
        const Tensor plain = matmul(a, b).value(), other = matmul(a, transposed, Transpose::yes).value();
        ASSERT_EQ(plain.shape(), (Shape{2, 3, 5, 7}));
        for (Index i = 0; i < 6; ++i) {
            expect_near(matrix(plain, i), matrix(a, i) * matrix(b, i));
            expect_near(matrix(other, i), matrix(a, i) * matrix(transposed, i).transpose());
        }
    }
    EXPECT_THROW(matmul(random_tensor({2, 3}, 1), random_tensor({4, 2}, 2)), Error);
    EXPECT_THROW(matmul(random_tensor({2, 2, 3}, 1), random_tensor({3, 3, 2}, 2)), Error);
}

TEST(Reference, Linear) {
    const Tensor x = random_tensor({2, 9, 13}, 1), weight = random_tensor({11, 13}, 2),
                 bias = random_tensor({11}, 3);
    const Tensor rows = x.reshaped({18, 13});
    Matrix expected = matrix(rows) * matrix(weight).transpose();
    expect_near(matrix(linear(x, weight).value().reshaped({18, 11})), expected);
    expected.rowwise() += matrix(bias.reshaped({1, 11})).row(0);
    expect_near(matrix(linear(x, weight, bias).value().reshaped({18, 11})), expected);
    EXPECT_THROW(linear(x, random_tensor({11, 12}, 2)), Error);
    EXPECT_THROW(linear(x, weight, random_tensor({12}, 3)), Error);
}

TEST(Reference, Softmax) {
    const Tensor x = random_tensor({6, 19}, 1, 4);
    Matrix expected = matrix(x).array().exp();
    expected = expected.array().colwise() / expected.rowwise().sum().array();
    expect_near(matrix(softmax(x).value()), expected);
}

TEST(Reference, Norms) {
    // Of rows whose variance is large, and small beside the epsilon.
    for (const double spread : {3.0, 1e-3}) {
        for (const double epsilon : {1e-5, 1e-2}) {
            const Tensor x = random_tensor({6, 19}, 1, spread), scale = random_tensor({19}, 2),
                         shift = random_tensor({19}, 3);
            const auto row = [](const Tensor& t) {
                return matrix(t.reshaped({1, t.count()})).row(0).array().eval();
            };
            const auto divided = [&](const Matrix& rows) {
                return (rows.array().colwise() / (rows.array().square().rowwise().mean() + epsilon).sqrt())
                    .matrix();
            };
            Matrix layer = divided(matrix(x).colwise() - matrix(x).rowwise().mean());
            layer = layer.array().rowwise() * row(scale);
            expect_near(matrix(layer_norm(x, scale, {}, epsilon).value()), layer);
            if (epsilon == standard_norm_epsilon) expect_near(matrix(layer_norm(x, scale).value()), layer);
            layer = layer.array().rowwise() + row(shift);
            expect_near(matrix(layer_norm(x, scale, shift, epsilon).value()), layer);
            Matrix rms = divided(matrix(x));
            rms = rms.array().rowwise() * row(scale);
            expect_near(matrix(rms_norm(x, scale, epsilon).value()), rms);
            if (epsilon == standard_norm_epsilon) expect_near(matrix(rms_norm(x, scale).value()), rms);
            EXPECT_THROW(rms_norm(x, shift.reshaped({1, 19})), Error);
        }
    }
}

TEST(Reference, CrossEntropy) {
    const Tensor x = random_tensor({300, 5}, 1), weight = random_tensor({7, 5}, 2);
    std::vector<Token> targets(300);
    for (std::size_t i = 0; i < 300; ++i) targets[i] = i % 6 == 1 ? no_target : static_cast<Token>(i % 7);
    const Loss result = linear_cross_entropy(x, weight, {targets}, true);
    const Matrix logits = matrix(x) * matrix(weight).transpose();
    double total = 0;
    for (Index i = 0; i < 300; ++i) {
        const Token target = targets[static_cast<std::size_t>(i)];
        const double nats =
            target == no_target ? 0 : std::log(logits.row(i).array().exp().sum()) - logits(i, target);
        EXPECT_NEAR(result.each[static_cast<std::size_t>(i)], nats, 10 * limit);
        total += nats;
    }
    EXPECT_EQ(result.weight, 250);
    EXPECT_NEAR(result.total, total, 10 * limit * total);
    EXPECT_NEAR(result.sum.value().data()[0], total, 10 * limit * total);
    EXPECT_TRUE(linear_cross_entropy(x, weight, {targets}).each.empty());
    targets[0] = 7;
    EXPECT_THROW(linear_cross_entropy(x, weight, {targets}), Error);
    targets[0] = -2;
    EXPECT_THROW(linear_cross_entropy(x, weight, {targets}), Error);
}

TEST(Reference, NoTargetAtAll) {
    const std::vector<Token> targets(4, no_target);
    const Loss result = linear_cross_entropy(random_tensor({4, 5}, 1), random_tensor({7, 5}, 2), {targets});
    EXPECT_EQ(result.weight, 0);
    EXPECT_EQ(result.total, 0);
    EXPECT_EQ(result.sum.value().data()[0], 0);
}

TEST(Reference, BroadcastSums) {
    const Tensor a = random_tensor({2, 1, 4}, 1), b = random_tensor({3, 1}, 2);
    const Tensor sum = add(a, b).value(), product = multiply(a, b).value();
    ASSERT_EQ(sum.shape(), (Shape{2, 3, 4}));
    for (Index i = 0; i < 2; ++i) {
        for (Index j = 0; j < 3; ++j) {
            for (Index k = 0; k < 4; ++k) {
                const Scalar x = a.data()[i * 4 + k], y = b.data()[j];
                EXPECT_EQ(sum.data()[(i * 3 + j) * 4 + k], x + y);
                EXPECT_EQ(product.data()[(i * 3 + j) * 4 + k], x * y);
            }
        }
    }
    EXPECT_THROW(add(random_tensor({2, 3}, 1), random_tensor({2, 4}, 1)), Error);
}

TEST(Reference, Dropout) {
    const MutableTensor x = Tensor::full({4, 1000}, 1);
    const Tensor y = dropout(x, 0.25, {.seed = 1, .step = 2, .sample = 3, .layer = 4}).value();
    Index dropped = 0;
    for (Scalar value : y.values()) {
        dropped += value == 0;
        EXPECT_TRUE(value == 0 || std::abs(double(value) - 1 / 0.75) < 1e-6) << value;
    }
    EXPECT_NEAR(static_cast<double>(dropped), 1000, 100);
    // a row is keyed by its sample: row 1 of samples 3, 4, .. is row 0 of samples 4, 5, ..
    const Tensor next = dropout(x, 0.25, {.seed = 1, .step = 2, .sample = 4, .layer = 4}).value();
    EXPECT_EQ(largest_difference(next.rows(0, 3), y.rows(1, 3)), 0);
    EXPECT_GT(largest_difference(next.rows(0, 1), y.rows(0, 1)), 0);
    EXPECT_EQ(largest_difference(dropout(x, 0, {}).value(), x), 0);
    EXPECT_THROW(dropout(x, 1, {}), Error);
    EXPECT_THROW(dropout(x, -0.1, {}), Error);
}

TEST(Reference, MovesOfNumbers) {
    const Tensor x = random_tensor({2, 3, 8}, 1);
    const Tensor split = split_heads(x, 2, 3, 2).value();
    ASSERT_EQ(split.shape(), (Shape{2, 3, 3, 2}));
    for (Index b = 0; b < 2; ++b) {
        for (Index h = 0; h < 3; ++h) {
            for (Index t = 0; t < 3; ++t) {
                for (Index d = 0; d < 2; ++d) {
                    EXPECT_EQ(split.data()[((b * 3 + h) * 3 + t) * 2 + d],
                              x.data()[(b * 3 + t) * 8 + 2 + h * 2 + d]);
                }
            }
        }
    }
    EXPECT_EQ(largest_difference(merge_heads(split_heads(x, 0, 4, 2)).value(), x), 0);
    EXPECT_THROW(split_heads(x, 4, 3, 2), Error);
    const Tensor repeated = repeat_heads(random_tensor({1, 2, 1, 1}, 2), 2).value();
    EXPECT_EQ(repeated.data()[0], repeated.data()[1]);
    EXPECT_EQ(repeated.data()[2], repeated.data()[3]);
    EXPECT_NE(repeated.data()[1], repeated.data()[2]);
    const Tensor table = tensor_of({2, 3}, {1, 2, 3, 4, 5, 6});
    EXPECT_EQ(
        largest_difference(take_columns(table, {2, -1, 0}).value(), tensor_of({2, 3}, {3, 0, 1, 6, 0, 4})),
        0);
    EXPECT_THROW(take_columns(table, {3}), Error);
    EXPECT_EQ(largest_difference(sum_last(table).value(), tensor_of({2}, {6, 15})), 0);
    EXPECT_EQ(sum_all(table).value().data()[0], 21);
    EXPECT_THROW(reshape(x, {5, 5}), Error);
}

TEST(Reference, EmbeddingRefusesIdsOutsideTheTable) {
    const Tensor table = random_tensor({5, 3}, 1);
    const Tensor rows = embedding(table, {4, 0}, 1, 2).value();
    EXPECT_EQ(rows.data()[0], table.data()[12]);
    EXPECT_EQ(rows.data()[3], table.data()[0]);
    EXPECT_THROW(embedding(table, {5}, 1, 1), Error);
    EXPECT_THROW(embedding(table, {-1}, 1, 1), Error);
    EXPECT_THROW(embedding(table, {1, 2, 3}, 1, 2), Error);
}

TEST(Reference, WeightsOfTargets) {
    const Tensor x = random_tensor({5, 6}, 1), weight = random_tensor({7, 6}, 2);
    const std::vector<Token> targets{3, no_target, 0, 6, 2};
    const Loss plain = linear_cross_entropy(x, weight, {targets}, true);
    EXPECT_EQ(plain.weight, 4);
    const std::vector<float> ones(5, 1), some{2, 9, 0, 0.5F, 1};
    const Loss same = linear_cross_entropy(x, weight, {targets, ones}, true);
    EXPECT_EQ(same.total, plain.total);
    EXPECT_EQ(same.weight, plain.weight);
    const Loss weighed = linear_cross_entropy(x, weight, {targets, some}, true);
    EXPECT_EQ(weighed.weight, 3.5);
    EXPECT_EQ(weighed.each, plain.each);
    EXPECT_DOUBLE_EQ(weighed.total, 2 * plain.each[0] + 0.5 * plain.each[3] + plain.each[4]);
    EXPECT_THROW(linear_cross_entropy(x, weight, {targets, std::span(ones).first(4)}), Error);
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
