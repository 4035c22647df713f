// Every op against central differences. A new op adds one line to the list; a test finds the ones without.
#include <fstream>
#include <regex>
#include <set>

#include <cstdlib>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "framework/core/products.h"
#include "framework/ops/attention.h"
#include "framework/ops/content_positions.h"
#include "framework/ops/elementwise.h"
#include "framework/ops/embedding.h"
#include "framework/ops/log1p.h"
#include "framework/ops/loss.h"
#include "framework/ops/mask.h"
#include "framework/ops/matmul.h"
#include "framework/ops/norm.h"
#include "framework/ops/pairs.h"
#include "framework/ops/reduce.h"
#include "framework/ops/rotate.h"
#include "framework/ops/shape.h"
#include "framework/ops/softmax.h"
#include "framework/ops/waves.h"
#include "tests/framework/ops/attention_cases.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

WorkVector<Token> ids(std::initializer_list<Token> values) {
    return WorkVector<Token>(values);
}

Variable cross_entropy(Inputs v, Index rows, Index vocabulary) {
    std::vector<Token> targets;
    for (Index i = 0; i < rows; ++i)
        targets.push_back(i % 5 == 3 ? no_target : static_cast<Token>(i % vocabulary));
    return linear_cross_entropy(v[0], v[1], {targets}).sum;
}

Rotation rotation(Inputs v, Pairing pairing) {
    return {v[1], v[2], pairing};
}

PairRows some_pairs() {
    return {2, 3, 4, {0, 1, 2, -1, 2, 2, 0, 1, 1, 1, 1, 1, 2, 1, 0, 0, -1, -1, 0, 2, 2, 2, 1, 0}};
}

// Places between the entries 0 .. 4, at none of them.
Variable inner_places(const Variable& x) {
    return scale(sigmoid(x), 4);
}

std::vector<OpCase> cases() {
    const Mask mask{.causal = true, .window = 2};
    const auto yes = Transpose::yes;
    std::vector<OpCase> list{
        {"add", {{2, 3, 4}, {2, 3, 4}}, [](Inputs v) { return add(v[0], v[1]); }},
        {"add/repeats_right", {{2, 3, 4}, {3, 1}}, [](Inputs v) { return add(v[0], v[1]); }},
        {"add/repeats_left", {{4}, {2, 3, 4}}, [](Inputs v) { return add(v[0], v[1]); }},
        {"add/repeats_both", {{2, 1, 4}, {1, 3, 1}}, [](Inputs v) { return add(v[0], v[1]); }},
        {"add/twice", {{3, 5}}, [](Inputs v) { return add(v[0], v[0]); }},
        {"add/residual", {{3, 5}}, [](Inputs v) { return add(v[0], gelu(v[0])); }},
        {"multiply", {{2, 3, 4}, {2, 3, 4}}, [](Inputs v) { return multiply(v[0], v[1]); }},
        {"multiply/repeats_both", {{2, 1, 4}, {1, 3, 1}}, [](Inputs v) { return multiply(v[0], v[1]); }},
        {"multiply/repeats_left", {{1}, {2, 9}}, [](Inputs v) { return multiply(v[0], v[1]); }},
        {"multiply/square", {{3, 21}}, [](Inputs v) { return multiply(v[0], v[0]); }},
        {"scale", {{3, 7}}, [](Inputs v) { return scale(v[0], Scalar(-1.5)); }},
        {"scale/residual", {{3, 7}}, [](Inputs v) { return add(v[0], scale(v[0], Scalar(0.5))); }},
        {"exponential", {{3, 7}}, [](Inputs v) { return exponential(v[0]); }},
        {"logarithm", {{3, 7}}, [](Inputs v) { return logarithm(exponential(scale(v[0], 2))); }},
        {"reciprocal", {{3, 7}}, [](Inputs v) { return reciprocal(exponential(v[0])); }},
        {"relu", {{5, 9}}, [](Inputs v) { return relu(v[0]); }},
        {"sigmoid", {{5, 9}}, [](Inputs v) { return sigmoid(v[0]); }},
        {"suffix_sums", {{3, 5}}, [](Inputs v) { return suffix_sums(v[0]); }},
        {"clamp_max", {{5, 9}}, [](Inputs v) { return clamp_max(v[0], Scalar(0.2)); }},
        {"interpolate", {{3, 5}, {3, 7}}, [](Inputs v) { return interpolate(v[0], inner_places(v[1])); }},
        {"take_pairs", {{2, 2, 3, 3}}, [](Inputs v) { return take_pairs(v[0], some_pairs()); }},
        {"sum_pairs", {{2, 2, 3, 4}}, [](Inputs v) { return sum_pairs(v[0], some_pairs(), 3); }},
        {"log1p", {{5, 9}}, [](Inputs v) { return log1p(multiply(v[0], v[0])); }},
        {"log1p/residual",
         {{5, 9}},
         [](Inputs v) { return add(exponential(v[0]), log1p(exponential(v[0]))); }},
        {"gelu", {{5, 9}}, [](Inputs v) { return gelu(v[0]); }},
        {"gelu/residual", {{5, 9}}, [](Inputs v) { return add(gelu(v[0]), gelu(v[0])); }},
        {"swiglu", {{5, 9}, {5, 9}}, [](Inputs v) { return swiglu(v[0], v[1]); }},
        {"swiglu/same", {{5, 9}}, [](Inputs v) { return swiglu(v[0], v[0]); }},
        {"dropout",
         {{4, 3, 9}},
         [](Inputs v) {
             return dropout(v[0], 0.3, {1, 2, 3, 4});
         }},
        {"matmul", {{3, 4, 5}, {3, 5, 6}}, [](Inputs v) { return matmul(v[0], v[1]); }},
        {"matmul/transposed", {{2, 2, 4, 5}, {2, 2, 3, 5}}, [](Inputs v) { return matmul(v[0], v[1], yes); }},
        {"matmul/square", {{4, 4}}, [](Inputs v) { return matmul(v[0], v[0]); }},
        {"matmul/gram", {{4, 6}}, [](Inputs v) { return matmul(v[0], v[0], yes); }},
        {"linear", {{2, 3, 5}, {4, 5}}, [](Inputs v) { return linear(v[0], v[1]); }},
        {"linear/bias", {{2, 3, 5}, {4, 5}, {4}}, [](Inputs v) { return linear(v[0], v[1], v[2]); }},
        {"sum_last", {{2, 3, 5}}, [](Inputs v) { return sum_last(v[0]); }},
        {"sum_last/vector", {{5}}, [](Inputs v) { return sum_last(v[0]); }},
        {"sum_all", {{2, 3, 5}}, [](Inputs v) { return sum_all(v[0]); }},
        {"reshape",
         {{2, 3, 4}},
         [](Inputs v) {
             return reshape(v[0], {6, 4});
         }},
        {"reshape/residual",
         {{6, 4}},
         [](Inputs v) {
             return add(reshape(v[0], {6, 4}), v[0]);
         }},
        {"split_heads", {{2, 3, 10}}, [](Inputs v) { return split_heads(v[0], 2, 2, 3); }},
        {"split_heads/twice",
         {{2, 3, 12}},
         [](Inputs v) { return add(split_heads(v[0], 0, 2, 3), split_heads(v[0], 6, 2, 3)); }},
        {"merge_heads", {{2, 3, 4, 5}}, [](Inputs v) { return merge_heads(v[0]); }},
        {"repeat_heads", {{2, 2, 3, 4}}, [](Inputs v) { return repeat_heads(v[0], 3); }},
        {"take_columns",
         {{3, 4}},
         [](Inputs v) {
             return take_columns(v[0], {0, 3, -1, 3, 1, 2, 2});
         }},
        {"softmax", {{3, 2, 7}}, [](Inputs v) { return softmax(v[0]); }},
        {"softmax/residual", {{3, 21}}, [](Inputs v) { return add(v[0], softmax(v[0])); }},
        {"layer_norm", {{3, 2, 7}, {7}}, [](Inputs v) { return layer_norm(v[0], v[1]); }},
        {"layer_norm/shift", {{3, 20}, {20}, {20}}, [](Inputs v) { return layer_norm(v[0], v[1], v[2]); }},
        {"layer_norm/residual", {{3, 20}, {20}}, [](Inputs v) { return add(v[0], layer_norm(v[0], v[1])); }},
        {"rms_norm", {{3, 2, 7}, {7}}, [](Inputs v) { return rms_norm(v[0], v[1]); }},
        {"layer_norm/epsilon",
         {{3, 2, 7}, {7}, {7}},
         [](Inputs v) { return layer_norm(v[0], v[1], v[2], 0.3); }},
        {"rms_norm/epsilon", {{3, 2, 7}, {7}}, [](Inputs v) { return rms_norm(v[0], v[1], 0.3); }},
        {"rms_norm/residual", {{3, 20}, {20}}, [](Inputs v) { return add(v[0], rms_norm(v[0], v[1])); }},
        {"embedding",
         {{5, 6}},
         [](Inputs v) {
             return embedding(v[0], ids({4, 0, 4, 1, 2, 3, 4, 0}), 2, 4);
         }},
        {"linear_cross_entropy", {{2, 4, 6}, {9, 6}}, [](Inputs v) { return cross_entropy(v, 8, 9); }},
        {"linear_cross_entropy/weights",
         {{6, 5}, {7, 5}},
         [](Inputs v) {
             const std::vector<Token> targets{3, no_target, 0, 6, 6, 1};
             const std::vector<float> weights{0.5F, 3, 2, 0, 1, 1.25F};
             return linear_cross_entropy(v[0], v[1], {targets, weights}).sum;
         }},
        {"linear_cross_entropy/blocks",
         {{261, 3}, {4, 3}},
         [](Inputs v) { return cross_entropy(v, 261, 4); }},
        {"linear_cross_entropy/tied",
         {{7, 5}},
         [](Inputs v) {
             return cross_entropy(std::vector{v[0], v[0]}, 7, 7);
         }},
        {"rotate/half_split",
         {{2, 3, 4, 8}, {2, 1, 4, 4}, {2, 1, 4, 4}},
         [](Inputs v) { return rotate(v[0], rotation(v, Pairing::half_split)); }},
        {"rotate/interleaved",
         {{2, 3, 4, 8}, {1, 3, 4, 4}, {1, 3, 4, 4}},
         [](Inputs v) { return rotate(v[0], rotation(v, Pairing::interleaved)); }},
        {"rotate/partial",
         {{2, 2, 3, 9}, {1, 1, 3, 3}, {1, 1, 3, 3}},
         [](Inputs v) { return rotate(v[0], rotation(v, Pairing::half_split)); }},
        {"rotate/partial_residual",
         {{2, 2, 3, 9}, {1, 2, 3, 3}, {1, 2, 3, 3}},
         [](Inputs v) { return add(v[0], rotate(v[0], rotation(v, Pairing::interleaved))); }},
        {"waves",
         {{2, 6}, {2, 2, 3, 3}, {2, 2, 3, 3}},
         [](Inputs v) {
             constexpr auto none = Positions::none;
             const Waves w = waves(v[0], Positions(2, 3, 2, {0, 1, 2, -1, none, none, 1, 1, 3, 0, -2, 2}), 2);
             return add(multiply(w.cos, v[1]), multiply(w.sin, v[2]));
         }},
        {"masked", {{2, 2, 4, 4}}, [=](Inputs v) { return softmax(masked(v[0], mask)); }},
    };
    add_attention(list, "attention_composed", attention_composed);
    add_attention(list, "attention_tiled", attention_tiled);
    add_attention(list, "attention_by_rows", attention_by_rows);
    add_terms(list, "attention_composed", attention_composed);
    add_terms(list, "attention_by_rows", attention_by_rows);
    add_relative_terms(list, "attention_composed", attention_composed);
    add_relative_terms(list, "attention_tiled", attention_tiled);
    add_relative_terms(list, "attention_by_rows", attention_by_rows);
    list.push_back({"attention_logits", {{1, 2, 4, 3}, {1, 1, 4, 3}}, [](Inputs v) {
                        return softmax(attention_logits(v[0], v[1], {}, Mask{.window = 3}));
                    }});
    return list;
}

std::vector<Tensor> drawn_inputs(const OpCase& c) {
    std::vector<Tensor> inputs;
    for (const Shape& shape : c.shapes) inputs.push_back(random_tensor(shape, 10 + inputs.size()));
    return inputs;
}

class Gradient : public testing::TestWithParam<OpCase> {};

TEST_P(Gradient, AgreesWithCentralDifferences) {
    check_gradient(GetParam().op, drawn_inputs(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Ops, Gradient, testing::ValuesIn(cases()), [](const auto& op) {
    std::string name = op.param.name;
    std::replace(name.begin(), name.end(), '/', '_');
    return name;
});

std::vector<MutableTensor> gradients_of(const OpCase& c) {
    const std::vector<Tensor> inputs = drawn_inputs(c);
    const Tensor value = c.op(std::vector<Variable>(inputs.begin(), inputs.end())).value();
    return tape_gradients(c.op, inputs, random_tensor(value.shape(), 77),
                          std::vector<bool>(inputs.size(), true));
}

// For tests/framework/precision_test.py, which compares those of both builds.
TEST(GradientList, WritesAllToTheFileThatIsAskedFor) {
    const char* path = std::getenv("LOCUS_GRADIENTS");
    if (path == nullptr) GTEST_SKIP() << "LOCUS_GRADIENTS names no file";
    nlohmann::json all = nlohmann::json::object();
    for (const OpCase& c : cases()) {
        for (const Tensor& gradient : gradients_of(c))
            all[c.name].push_back(std::vector<double>(gradient.values().begin(), gradient.values().end()));
    }
    std::ofstream(path) << all;
}

// Rounded factors change a gradient by about the rounding, and nothing but the products of weights.
TEST(Bf16Gradient, IsNearThatOfSinglePrecision) {
    const auto product = [](Inputs v) { return linear(v[0], v[1], v[2]); };
    const auto loss =
        [](Inputs v) {  // logits of about 1: a softmax makes more of the rounding of greater ones
            const Variable weight = scale(v[1], Scalar(0.1));
            return cross_entropy(std::vector<Variable>{v[0], weight}, 40, 37);
        };
    for (const OpCase& c : {OpCase{"linear", {{40, 96}, {67, 96}, {67}}, product},
                            OpCase{"linear_cross_entropy", {{40, 96}, {37, 96}}, loss}}) {
        const std::vector<MutableTensor> exact = gradients_of(c);
        const ProductScope scope({.precision = Precision::bf16});
        const std::vector<MutableTensor> rounded = gradients_of(c);
        for (std::size_t k = 0; k < 2; ++k) {
            double error = 0, size = 0;
            for (Index i = 0; i < exact[k].count(); ++i) {
                const auto a = double(exact[k].data()[i]), b = double(rounded[k].data()[i]);
                error += (a - b) * (a - b);
                size += a * a;
            }
            EXPECT_LE(std::sqrt(error / size), 5e-3) << c.name << ", input " << k;
            EXPECT_GE(std::sqrt(error / size), 1e-4) << c.name << ", input " << k << ": nothing was rounded";
        }
        for (std::size_t k = 2; k < exact.size(); ++k) EXPECT_EQ(largest_difference(exact[k], rounded[k]), 0);
    }
    EXPECT_EQ(ProductScope::current(), Products{});
}

TEST(GradientList, NamesEveryOp) {
    std::set<std::string> tested;
    for (const OpCase& c : cases()) tested.insert(c.name.substr(0, c.name.find('/')));
    const std::regex declaration(R"(^(?:Variable|Loss|Waves) (\w+)\()");
    int found = 0;
    for (const auto& file : std::filesystem::directory_iterator(LOCUS_ORACLES "/../../framework/ops")) {
        if (file.path().extension() != ".h") continue;
        std::ifstream text(file.path());
        for (std::string line; std::getline(text, line);) {
            std::smatch match;
            if (!std::regex_search(line, match, declaration)) continue;
            ++found;
            EXPECT_TRUE(tested.contains(match[1])) << match[1] << " has no line in the list";
        }
    }
    EXPECT_GE(found, 24);
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
