// Encodings whose term belongs to a pair of tokens and no table: FIRE and CoPE.
#include "framework/ops/attention.h"
#include "framework/ops/content_positions.h"
#include "tests/models/support.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

void set(ParameterStore& store, const std::string& name, const std::vector<double>& values) {
    for (Index i = 0; i < static_cast<Index>(store.parameters().size()); ++i) {
        if (!store.parameters()[static_cast<std::size_t>(i)].name.ends_with(name)) continue;
        return set_parameter(store, i, values);
    }
    FAIL() << name;
}

// The bias of the toy network at single pairs (i, j).
TEST(Fire, BiasOfTheOracle) {
    const nlohmann::json data = oracle("fire.json"), &mlp = data["toy_mlp"];
    EncodingShape shape = LoneEncoding::standard();
    shape.heads = 2;
    LoneEncoding fire("fire", {{"init_L", 512.0}, {"mlp_width", Index{2}}}, shape);
    set(fire.store, "hidden.weight", mlp["W1"]);
    set(fire.store, "hidden.bias", mlp["b1"]);
    set(fire.store, "output.weight", {mlp["W2"][0][0], mlp["W2"][0][1], mlp["W2"][1][0], mlp["W2"][1][1]});
    set(fire.store, "output.bias", mlp["b2"]);
    const PairBias bias = fire.terms(Positions::consecutive(2)).pair_bias;
    for (std::size_t n = 0; n < data["points_i_j"].size(); ++n) {
        const std::int64_t i = data["points_i_j"][n][0], j = data["points_i_j"][n][1];
        const Tensor at = bias(Positions::consecutive(1, i), Positions::consecutive(1, j)).value();
        for (Index h = 0; h < 2; ++h) {
            EXPECT_NEAR(at.data()[h], mlp["bias_heads"][n][static_cast<std::size_t>(h)].get<double>(),
                        is_double ? 1e-13 : 1e-6)
                << i << " " << j;
        }
    }
}

// With W = b = identity the bias is u itself.
TEST(Fire, NormalisedPositionsOfTheOracle) {
    const nlohmann::json data = oracle("fire.json");
    EncodingShape shape = LoneEncoding::standard();
    shape.heads = 1;
    for (bool threshold : {true, false}) {
        LoneEncoding fire("fire", {{"init_L", 512.0}, {"mlp_width", Index{1}}, {"threshold", threshold}},
                          shape);
        set(fire.store, "hidden.weight", {1});
        set(fire.store, "hidden.bias", {0});
        set(fire.store, "output.weight", {1});
        set(fire.store, "output.bias", {0});
        const PairBias bias = fire.terms(Positions::consecutive(2)).pair_bias;
        const nlohmann::json& expected = data[threshold ? "u" : "u_no_threshold_L0"];
        for (std::size_t n = 0; n < expected.size(); ++n) {
            const std::int64_t i = data["points_i_j"][n][0], j = data["points_i_j"][n][1];
            const Tensor at = bias(Positions::consecutive(1, i), Positions::consecutive(1, j)).value();
            EXPECT_NEAR(at.data()[0], expected[n].get<double>(), is_double ? 1e-13 : 1e-6) << i << " " << j;
        }
    }
}

TEST(Fire, ShiftsMatterBeyondTheThresholdOnly) {
    LoneEncoding fire("fire", {{"init_L", 100.0}});
    draw_all(fire.store, 0.1);
    const PairBias bias = fire.terms(Positions::consecutive(2)).pair_bias;
    const auto at = [&](std::int64_t start) {
        return bias(Positions::consecutive(9, start), Positions::consecutive(9, start)).value();
    };
    EXPECT_LT(largest_difference(at(30), at(0)), is_double ? 1e-13 : 1e-6);
    EXPECT_GT(largest_difference(at(500), at(0)), 1e-3);
}

Tensor rows_of(const nlohmann::json& rows, const Shape& shape) {
    std::vector<Scalar> values;
    for (const auto& row : rows) {
        for (const auto& value : row) {
            values.push_back(value.is_null() ? -std::numeric_limits<Scalar>::infinity()
                                             : static_cast<Scalar>(value.get<double>()));
        }
    }
    return Tensor::of(shape, values);
}

TEST(Cope, LogitsOfTheOracle) {
    const nlohmann::json data = oracle("cope.json");
    EncodingShape shape = LoneEncoding::standard();
    shape.heads = shape.kv_heads = 1;
    shape.head_dim = 2;
    const Tensor q = rows_of(data["q"], {1, 1, 4, 2}), k = rows_of(data["k"], {1, 1, 4, 2});
    for (bool nodiv : {false, true}) {
        const LoneEncoding cope("cope", {{"npos_max", data["npos_max"].get<Index>()}, {"nodiv", nodiv}},
                                shape);
        AttentionTerms terms{cope.terms(Positions::consecutive(4)), {}, {}};
        terms.count.table = rows_of(data["e"], {1, 3, 2});
        const Tensor logits = attention_logits(q, k, terms, Mask{}).value();
        const Tensor expected = rows_of(data[nodiv ? "logits_nodiv" : "logits_div"], {1, 1, 4, 4});
        for (Index n = 0; n < 16; ++n) {
            if (std::isinf(expected.data()[n])) {
                EXPECT_EQ(logits.data()[n], expected.data()[n]);
            } else {
                EXPECT_NEAR(logits.data()[n], expected.data()[n], is_double ? 1e-13 : 1e-6) << n;
            }
        }
    }
}

TEST(Cope, PositionsOfTheOracle) {
    const nlohmann::json data = oracle("cope.json");
    const Tensor q = rows_of(data["q"], {1, 1, 4, 2}), k = rows_of(data["k"], {1, 1, 4, 2});
    const Variable gates = sigmoid(attention_logits(q, k, {}, Mask{}));
    const Tensor counts = clamp_max(suffix_sums(gates), 2).value();
    for (Index i = 0; i < 4; ++i) {
        for (Index j = 0; j <= i; ++j) {
            const auto row = static_cast<std::size_t>(i), column = static_cast<std::size_t>(j);
            EXPECT_NEAR(gates.value().data()[i * 4 + j], data["gates"][row][column].get<double>(),
                        is_double ? 1e-14 : 1e-6);
            EXPECT_NEAR(counts.data()[i * 4 + j], data["positions"][row][column].get<double>(),
                        is_double ? 1e-14 : 1e-6);
        }
    }
}

TEST(Cope, NeedsACausalMask) {
    EncodingShape shape = LoneEncoding::standard();
    shape.site = Site::self_bidirectional;
    EXPECT_THROW(LoneEncoding("cope", {}, shape), Error);
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
