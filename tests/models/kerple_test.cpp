#include "tests/models/support.h"
#include "tests/support/gradient_check.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

Choices variant(const std::string& name) {
    return {{"variant", name}};
}

EncodingShape kerple_shape(Index heads) {
    return {heads, heads, heads, 1, 2, 64, Site::self_causal};
}

void set(LoneEncoding& kerple, const std::string& name, double value) {
    const auto& all = kerple.store.parameters();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].name != "encoding." + name) continue;
        return set_parameter(kerple.store, static_cast<Index>(i),
                             std::vector<double>(static_cast<std::size_t>(all[i].shape.count()), value));
    }
    FAIL() << name;
}

void expect_biases(const LoneEncoding& kerple, const nlohmann::json& distances,
                   const nlohmann::json& biases) {
    const auto wanted = distances.get<std::vector<std::int64_t>>();
    const EncodingCard card = kerple.card({.positions = {}, .length = 0, .distances = wanted});
    const PositionTerms terms = kerple.terms(Positions(1, 2, 1, {0, wanted.back()}));
    const Tensor table = terms.bias.table.value();
    for (std::size_t k = 0; k < wanted.size(); ++k) {
        const double expected = biases[k];
        const auto row = terms.bias.rows[static_cast<std::size_t>(wanted[k] - terms.bias.first)];
        EXPECT_EQ(terms.bias.rows[static_cast<std::size_t>(-wanted[k] - terms.bias.first)], row);
        EXPECT_EQ(card.rows[k], row);
        const double limit = std::abs(expected) * (is_double ? 1e-12 : 2e-6);
        EXPECT_NEAR(table.data()[table.size(1) + row], expected, limit) << wanted[k];
        EXPECT_NEAR(card.bias[1][k], expected, limit) << wanted[k];
    }
}

TEST(Kerple, BiasesOfBothVariants) {
    const nlohmann::json data = oracle("kerple.json");
    for (const nlohmann::json& example : data["log"]) {
        LoneEncoding kerple("kerple", variant("log"), kerple_shape(2));
        set(kerple, "bias_p", example["r1"]);
        set(kerple, "bias_a", example["r2"]);
        expect_biases(kerple, data["dist"], example["bias"]);
    }
    for (const nlohmann::json& example : data["power"]) {
        LoneEncoding kerple("kerple", variant("power"), kerple_shape(2));
        set(kerple, "bias_a", example["r1"]);
        set(kerple, "bias_p", example["r2"]);
        expect_biases(kerple, data["dist"], example["bias"]);
    }
}

// An exponent of 1 is ALiBi with these slopes.
TEST(Kerple, PowerOneIsAlibi) {
    LoneEncoding kerple("kerple", variant("power"), kerple_shape(1));
    set(kerple, "bias_a", std::exp2(-8));
    set(kerple, "bias_p", 1);
    const LoneEncoding alibi("alibi", {}, kerple_shape(1));
    const Positions positions = Positions::consecutive(200);
    expect_close(kerple.terms(positions).bias.table.value(), alibi.terms(positions).bias.table.value(),
                 is_double ? 1e-14 : 1e-6, "table");
}

TEST(Kerple, BeginsInTheAuthorsRanges) {
    for (const std::string name : {"log", "power"}) {
        LoneEncoding kerple("kerple", variant(name), kerple_shape(4000));
        ASSERT_EQ(kerple.store.parameters().size(), 2U);  // two numbers per head, whatever the layers
        for (std::size_t i = 0; i < 2; ++i) {
            const ParameterInfo& info = kerple.store.parameters()[i];
            const double max = info.name == "encoding.bias_p" ? 2 : 1;
            double sum = 0;
            for (Scalar value : kerple.store.view(kerple.store.values(), static_cast<Index>(i)).values()) {
                EXPECT_GE(value, static_cast<Scalar>(0.01));
                EXPECT_LE(value, static_cast<Scalar>(max));
                sum += static_cast<double>(value);
            }
            EXPECT_NEAR(sum / 4000, max / 2, 0.04 * max) << info.name;
            EXPECT_FALSE(info.decayed);
            EXPECT_EQ(info.bounds.min, 0.01);
            const bool exponent = name == "power" && info.name == "encoding.bias_p";
            EXPECT_EQ(info.bounds.max, exponent ? 2 : Bounds{}.max);
        }
    }
}

// The gradient of both numbers is right, and where the only distance is 0 it is 0, not 0 ln 0.
TEST(Kerple, GradientsAreFiniteAtDistanceZero) {
    for (const std::string name : {"log", "power"}) {
        LoneEncoding kerple("kerple", variant(name), kerple_shape(2));
        const auto table_of = [&](Index length) {
            return kerple.terms(Positions::consecutive(length)).bias.table;
        };
        const Tensor cotangent = random_tensor({2, 40}, 5);
        EXPECT_EQ(largest(flat_gradient(kerple.store, random_tensor({2, 1}, 5), [&] { return table_of(1); })),
                  0);
        const Tensor flat = flat_gradient(kerple.store, cotangent, [&] { return table_of(40); });
        for (const ParameterInfo& info : kerple.store.parameters()) {
            std::vector<double> analytic, numeric;
            for (Index i = info.offset; i < info.offset + 2; ++i) {
                analytic.push_back(static_cast<double>(flat.data()[i]));
                numeric.push_back(central_difference(kerple.store, i, analytic.back(),
                                                     [&] { return dot(table_of(40).value(), cotangent); }));
            }
            expect_gradient_close(analytic, numeric, name + " " + info.name);
        }
    }
}

TEST(Kerple, CardNamesItsFormula) {
    EXPECT_NE(LoneEncoding("kerple").card().conventions["bias"].find("ln(1 + r2"), std::string::npos);
    EXPECT_NE(LoneEncoding("kerple", variant("power")).card().conventions["bias"].find("^r2"),
              std::string::npos);
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
