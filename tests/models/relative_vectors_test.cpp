// Encodings that meet the query with a vector of the distance: Shaw and Transformer-XL.
#include "framework/ops/attention.h"
#include "tests/models/support.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

Tensor matrix(const nlohmann::json& rows, const Shape& shape) {
    std::vector<Scalar> values;
    for (const auto& row : rows) {
        for (double value : row) values.push_back(static_cast<Scalar>(value));
    }
    return Tensor::of(shape, values);
}

TEST(Shaw, RowsOfDistances) {
    const nlohmann::json data = oracle("shaw.json");
    const LoneEncoding shaw("shaw", {{"max_relative_position", Index{2}}});
    for (std::int64_t i = 0; i < 6; ++i) {
        for (std::int64_t j = 0; j < 6; ++j) {
            const EncodingCard card = shaw.card({.positions = {}, .length = 0, .distances = {i - j}});
            EXPECT_EQ(card.rows.front(), data["index_matrix_j_minus_i"][i][j].get<int>()) << i << " " << j;
        }
    }
}

TEST(Shaw, LogitsOfTheOracle) {
    const nlohmann::json data = oracle("shaw.json");
    EncodingShape shape = LoneEncoding::standard();
    shape.heads = shape.kv_heads = 1;
    shape.head_dim = 2;
    shape.site = Site::self_bidirectional;
    const LoneEncoding shaw("shaw", {{"max_relative_position", Index{2}}}, shape);
    AttentionTerms terms{shaw.terms(Positions::consecutive(6)), Positions::consecutive(6),
                         Positions::consecutive(6)};
    terms.relative_keys.table = matrix(data["aK"], {1, 5, 2});
    const Variable logits = attention_logits(matrix(data["q"], {1, 1, 6, 2}),
                                             matrix(data["key"], {1, 1, 6, 2}), terms, Mask{.causal = false});
    expect_close(logits.value(), matrix(data["e_full"], {1, 1, 6, 6}), is_double ? 1e-12 : 1e-6, "e");
}

TEST(Shaw, AddsVectorsToValues) {
    const LoneEncoding both("shaw", {{"max_relative_position", Index{2}}}), keys("shaw", {{"values", false}});
    EXPECT_TRUE(both.terms(Positions::consecutive(4)).relative_values);
    EXPECT_FALSE(keys.terms(Positions::consecutive(4)).relative_values);
    // one key: its weight is 1, so the output is its value and the vector of distance 0 (row k)
    AttentionTerms terms{both.terms(Positions::consecutive(1)), Positions::consecutive(1),
                         Positions::consecutive(1)};
    const Tensor q = random_tensor({1, 4, 1, 16}, 1), v = random_tensor({1, 4, 1, 16}, 2);
    const Tensor out = attention_composed(q, q, v, terms, Mask{}).value();
    for (Index h = 0; h < 4; ++h) {
        for (Index c = 0; c < 16; ++c) {
            const Scalar vector = terms.relative_values.table.value().data()[2 * 16 + c];
            EXPECT_NEAR(out.data()[h * 16 + c], v.data()[h * 16 + c] + vector, is_double ? 1e-14 : 1e-6);
        }
    }
}

TEST(TransformerXl, SinusoidsOfDistances) {
    const nlohmann::json data = oracle("transformer_xl.json");
    EncodingShape shape = LoneEncoding::standard();
    shape.width = 4;
    const EncodingCard card = LoneEncoding("transformer_xl", {}, shape)
                                  .card({.positions = {0, 1, 2, 3, 4}, .length = 0, .distances = {}});
    for (std::size_t t = 0; t < 5; ++t) {
        for (std::size_t c = 0; c < 4; ++c) {
            EXPECT_NEAR(card.embedding[t][c], data["R_d4"][std::to_string(t)][c].get<double>(), 1e-15);
        }
    }
}

// The relative shift of the authors' code, by the definition: key j of row i, after mlen cached keys, meets
// R of i + mlen - j.
TEST(TransformerXl, DistancesAreThoseOfTheRelativeShift) {
    const nlohmann::json data = oracle("transformer_xl.json");
    const Index queries = data["qlen"], memory = data["mlen"];
    const LoneEncoding xl("transformer_xl");
    const Positions all = Positions::consecutive(queries + memory);
    const RelativeVectors keys =
        xl.encoding->terms(all.slice(memory, queries), all, {queries + memory, 0, Site::self_causal})
            .relative_keys;
    for (Index i = 0; i < queries; ++i) {
        for (Index j = 0; j < queries + memory; ++j) {
            const nlohmann::json& expected = data["relative_distance_after_shift"][i][j];
            if (expected.is_null()) continue;
            const auto distance = static_cast<std::size_t>(i + memory - j - keys.first);
            EXPECT_EQ(keys.first + keys.rows[distance], expected.get<std::int64_t>()) << i << " " << j;
        }
    }
}

TEST(TransformerXl, LogitsByTheDefinition) {
    const LoneEncoding xl("transformer_xl");
    draw_all(const_cast<ParameterStore&>(xl.store));
    const Index length = 5, heads = 4, width = 16;
    const Positions positions = Positions::consecutive(length, 7);
    const AttentionTerms terms{xl.terms(positions), positions, positions};
    const Tensor q = random_tensor({1, heads, length, width}, 1),
                 k = random_tensor({1, heads, length, width}, 2);
    const Tensor logits = attention_logits(q, k, terms, Mask{}).value();
    const Tensor u = terms.content_bias.value(), v = terms.position_bias.value();
    const Tensor weight = xl.store.view(xl.store.values(), [&] {
        for (Index n = 0;; ++n) {
            if (xl.store.parameters()[static_cast<std::size_t>(n)].name.ends_with("layer.0.r_net.weight"))
                return n;
        }
    }());
    const std::vector<std::int64_t> distances{0, 1, 2, 3, 4};
    const auto sinusoids = xl.card({.positions = distances, .length = 0, .distances = {}}).embedding;
    for (Index h = 0; h < heads; ++h) {
        for (Index i = 0; i < length; ++i) {
            for (Index j = 0; j <= i; ++j) {
                double sum = 0;
                for (Index c = 0; c < width; ++c) {
                    double r = 0;
                    for (Index m = 0; m < 64; ++m) {
                        r += static_cast<double>(weight.data()[(h * width + c) * 64 + m]) *
                             sinusoids[static_cast<std::size_t>(i - j)][static_cast<std::size_t>(m)];
                    }
                    const auto at = [&](const Tensor& x, Index row) {
                        return static_cast<double>(x.data()[(h * length + row) * width + c]);
                    };
                    const Index bias = h * width + c;
                    sum += (at(q, i) + static_cast<double>(u.data()[bias])) * at(k, j) +
                           (at(q, i) + static_cast<double>(v.data()[bias])) * r;
                }
                EXPECT_NEAR(logits.data()[(h * length + i) * length + j], sum / 4, is_double ? 1e-12 : 1e-4);
            }
        }
    }
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
