#include "tests/models/rotary_support.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

TEST(Xpos, ZetaOfTheAuthors) {
    const nlohmann::json data = oracle("xpos.json");
    for (const auto& [width, zeta] : data["zeta"].items())
        expect_relative(LoneEncoding("xpos", {}, head_of(std::stol(width))).card().zeta, zeta, 1e-12);
}

// What pair i of a query at m and of a key at n, both (1, 0), gives: magnitude * cos((m - n) theta_i).
double pair_dot(const LoneEncoding& xpos, std::int64_t m, std::int64_t n, Index pair) {
    const PositionTerms terms = xpos.encoding->terms(at({m}), at({n}), {64, 0, Site::self_causal});
    const auto entry = [&](const Variable& table) { return static_cast<double>(table.value().data()[pair]); };
    return entry(terms.query.cos) * entry(terms.key.cos) + entry(terms.query.sin) * entry(terms.key.sin);
}

TEST(Xpos, DecaysWithTheDistance) {
    const nlohmann::json data = oracle("xpos.json");
    ASSERT_EQ(data["decay_(m-n)"].size(), 6U);
    const LoneEncoding xpos("xpos", {{"scale_base", 512.0}}, head_of(8));
    for (const auto& c : data["decay_(m-n)"]) {
        const std::int64_t delta = c["delta"];
        for (Index i = 0; i < 4; ++i) {
            const double expected = c["zeta^(delta/512)"][static_cast<std::size_t>(i)].get<double>() *
                                    std::cos(static_cast<double>(delta) * std::pow(10, -i));
            for (std::int64_t n : {5, 300})
                EXPECT_NEAR(pair_dot(xpos, n + delta, n, i), expected, 4 * rounding)
                    << delta << ", pair " << i;
        }
    }
}

// The centre is a common factor of queries and its inverse of keys.
TEST(Xpos, CentreCancels) {
    const LoneEncoding near("xpos", {{"centre", Index{0}}, {"scale_base", 512.0}}, head_of(8)),
        far("xpos", {{"centre", Index{3000}}, {"scale_base", 512.0}}, head_of(8));
    for (Index i = 0; i < 4; ++i)
        EXPECT_NEAR(pair_dot(near, 1700, 1500, i), pair_dot(far, 1700, 1500, i), 4 * rounding);
    EXPECT_GT(std::abs(near.terms(at({1700})).query.cos.value().data()[3] /
                           far.terms(at({1700})).query.cos.value().data()[3] -
                       1),
              0.5);
}

// One centre for every length: a token's key does not change when the text grows.
TEST(Xpos, TermsDoNotDependOnTheLength) {
    const LoneEncoding xpos("xpos");
    EXPECT_FALSE(xpos.encoding->varies_by_length());
    const Tensor few = xpos.terms(Positions::consecutive(10)).key.cos.value().clone(),
                 many = xpos.terms(Positions::consecutive(500)).key.cos.value();
    EXPECT_EQ(largest_difference(many.reshaped({500, 8}).rows(0, 10), few.reshaped({10, 8})), 0);
    EXPECT_NE(xpos.card().conventions.at("centre").find("32"), std::string::npos);  // half of 64
}

TEST(Xpos, CardHasTheMagnitudesOfBothSides) {
    const LoneEncoding xpos("xpos", {{"centre", Index{0}}, {"scale_base", 512.0}}, head_of(8));
    const EncodingCard card = xpos.card({.positions = {0, 512}, .length = 0, .distances = {}});
    EXPECT_EQ(card.query_magnitude[0], (std::vector<double>(4, 1.0)));
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(card.query_magnitude[1][i], card.zeta[i], 1e-12);
        EXPECT_NEAR(card.key_magnitude[1][i], 1 / card.zeta[i], 1e-11);
    }
}

// Uncentred, a key's factor at 65536 is 4e69: a float cannot hold it, and a query's product with it less yet.
TEST(Xpos, RefusesPositionsThatWouldOverflow) {
    const LoneEncoding xpos("xpos", {{"centre", Index{0}}, {"scale_base", 512.0}}, head_of(8));
    const std::int64_t inside = is_double ? 140'000 : 17'000, outside = is_double ? 150'000 : 18'500;
    const PositionTerms terms = xpos.terms(at({-inside, inside}));
    for (const Variable* table : {&terms.query.cos, &terms.key.cos}) {
        for (Scalar value : table->value().values()) EXPECT_TRUE(std::isfinite(value * value)) << value;
    }
    for (std::int64_t position : {outside, -outside}) {
        try {
            xpos.terms(at({position}));
            ADD_FAILURE() << position;
        } catch (const Error& error) {
            expect_mentions(error.what(), {std::to_string(position), "512"});
        }
    }
}

// The paper's 512 belongs to its training length of 1024.
TEST(Xpos, DecaysOverHalfOfTheTrainingLength) {
    for (const auto& [length, base] : {std::pair<Index, double>{64, 32}, {1024, 512}, {1, 1}}) {
        EncodingOptions xpos{"xpos", Options(EncodingRegistry::instance().at("xpos").options)};
        EncodingShape shape = LoneEncoding::standard();
        shape.train_length = length;
        resolve_options(xpos, shape);
        EXPECT_EQ(xpos.options.number("scale_base"), base);
    }
    expect_mentions(refusal_of("xpos", {{"scale_base", 0.5}}, head_of(8)), {"scale_base", "0.5"});
}

TEST(Xpos, TokensWithoutAPositionStay) {
    const LoneEncoding xpos("xpos", {{"scale_base", 512.0}}, head_of(8));
    const PositionTerms terms = xpos.terms(at({Positions::none, 3}));
    for (Index i = 0; i < 4; ++i) {
        EXPECT_EQ(terms.query.cos.value().data()[i], 1);
        EXPECT_EQ(terms.key.sin.value().data()[i], 0);
    }
    expect_mentions(refusal_of("xpos", {}, head_of(15)), {"15"});
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
