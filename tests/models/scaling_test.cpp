// What must hold between the rules, what is refused, and the arms that scale a bias instead of a rotation.
#include "tests/models/scaling_support.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

std::vector<double> table(Index width, const Choices& choices, Index length = 0) {
    return rope_card(width, choices, length).inv_freq;
}

TEST(ScalingIdentities, FactorOneIsPlainBitForBit) {
    for (const std::string& rule : FrequencyRegistry::instance().names()) {
        for (Index width : {4, 16, 64}) {
            for (double base : {10000.0, 500.0}) {
                const EncodingCard card = rope_card(width, with_base(base, at_factor(rule, 1, width)),
                                                    rule == "dynamic" ? 64 : 640);
                EXPECT_EQ(card.inv_freq, table(width, with_base(base, {}))) << rule << ' ' << width;
                EXPECT_EQ(card.magnitude, 1) << rule;
            }
        }
    }
}

TEST(ScalingIdentities, DynamicIsPlainUpToTheTrainedLength) {
    for (double factor : {1.0, 4.0}) {
        for (Index length : {1, 63, 64})
            EXPECT_EQ(table(16, at_factor("dynamic", factor, 16), length), table(16, {})) << length;
        EXPECT_NE(table(16, at_factor("dynamic", factor, 16), 65), table(16, {}));
    }
}

// Pairs that the ramp keeps are RoPE's, those that it gives up are position interpolation's.
TEST(ScalingIdentities, YarnIsPlainAtOneEndAndLinearAtTheOther) {
    const auto plain = table(64, {}), linear = table(64, at_factor("linear", 8, 64, 4096));
    for (const char* rule : {"yarn", "ntk_by_parts"}) {
        const auto scaled_table = table(64, at_factor(rule, 8, 64, 4096));
        std::size_t kept = 0, interpolated = 0;
        for (std::size_t i = 0; i < plain.size(); ++i) {
            kept += scaled_table[i] == plain[i];
            interpolated += scaled_table[i] == linear[i];
            EXPECT_TRUE(scaled_table[i] <= plain[i] && scaled_table[i] >= linear[i]) << i;
        }
        EXPECT_GE(kept, 5U) << rule;
        EXPECT_GE(interpolated, 5U) << rule;
    }
    const auto none = table(64, scaled("yarn", {{"factor", 8.0}, {"extrapolation_factor", 0.0}}, 4096));
    EXPECT_EQ(none, linear);
}

TEST(ScalingIdentities, Llama3IsByPartsBetweenOneAndFourTurns) {
    for (Index trained : {64, 8192}) {
        const auto parts = table(
            64, scaled("ntk_by_parts", {{"factor", 8.0}, {"beta_fast", 4.0}, {"beta_slow", 1.0}}, trained));
        expect_relative(table(64, at_factor("llama3", 8, 64, trained)), parts, 1e-12);
    }
}

TEST(ScalingIdentities, LongropeHoldsLinearAndNtk) {
    EXPECT_EQ(table(16, at_factor("longrope", 4, 16), 65), table(16, at_factor("linear", 4, 16)));
    const nlohmann::json data = oracle("longrope.json")["pi_ntk_as_lambda"];
    std::vector<double> factors;
    for (Index i = 0; i < 4; ++i) factors.push_back(std::pow(4.0, static_cast<double>(2 * i) / 6));
    expect_relative(factors, data["ntk_lambda"], 1e-12);
    const Choices own = {{"long_factor", factors}, {"factor", 4.0}};
    expect_relative(table(8, scaled("longrope", own, 64), 65), table(8, at_factor("ntk", 4, 8)), 1e-12);
}

// D07 of peer projects: dynamic scaling that changes short inputs, or never reacts.
TEST(ScalingFaults, NtkBases) {
    expect_relative({*rope_card(16, at_factor("ntk", 4, 16)).base}, {48760.546}, 1e-7);
    EXPECT_NEAR(table(16, at_factor("ntk", 4, 16)).back() * 4, table(16, {}).back(), 1e-18);
    const std::vector<double> expected = {10000, 10000, 10357.933, 22081.790, 35097.924, 92432.847};
    std::vector<double> found;
    for (Index length : {32, 64, 65, 96, 128, 256})
        found.push_back(*rope_card(16, at_factor("dynamic", 2, 16), length).base);
    expect_relative(found, expected, 1e-7);
}

// D08: the attention factor reaches queries and keys once each, so a logit gets its square.
TEST(ScalingFaults, YarnFactorsOnQueriesAndKeysOnce) {
    const auto logit = [](const Choices& choices) {
        const LoneEncoding rope("rope", choices, head_of(16));
        const Tensor x = random_tensor({1, 1, 1, 16}, 3);
        const PositionTerms terms = rope.terms(at({0}));
        const Tensor q = rotate(x, terms.query).value(), k = rotate(x, terms.key).value();
        double dot = 0;
        for (Index i = 0; i < 16; ++i)
            dot += static_cast<double>(q.data()[i]) * static_cast<double>(k.data()[i]);
        return dot;
    };
    EXPECT_NEAR(logit(at_factor("yarn", 4, 16)) / logit({}), 1.296477, 2e-6);
    const std::vector<std::pair<double, double>> factors = {
        {1, 1}, {2, 1.069315}, {4, 1.138629}, {8, 1.207944}, {64, 1.415888}};
    for (const auto& [s, m] : factors)
        EXPECT_NEAR(rope_card(16, at_factor("yarn", s, 16)).magnitude, m, 5e-7);
    // Only what turns is scaled.
    Choices partial = at_factor("yarn", 4, 8);
    partial.emplace_back("fraction", 0.5);
    const LoneEncoding rope("rope", partial, head_of(16));
    EXPECT_EQ(rope.terms(at({0})).query.cos.size(3), 4);
}

// D09: ends of the ramp that are rounded or clamped in another way.
TEST(ScalingFaults, YarnRampsByName) {
    const auto tiny = [](Choices own) {
        own.emplace_back("factor", 4.0);
        return table(16, scaled("yarn", own, 64));
    };
    const auto rounded = tiny({}), unrounded = tiny({{"truncate", false}}),
               turns = tiny({{"ramp", std::string("turns")}});
    const auto near = [](double found, double expected) { EXPECT_NEAR(found, expected, 1e-6 * expected); };
    const std::vector<std::vector<double>> expected = {{1, 0.2371708, 0.05, 0.007905694, 0.0025},
                                                       {1, 0.1985835, 0.02559525, 0.007905694},
                                                       {0.4722399, 0.09604962, 0.02504498, 0.007905694}};
    const std::vector<std::vector<double>> found = {rounded, unrounded, turns};
    for (std::size_t form = 0; form < 3; ++form) {
        for (std::size_t i = 0; i < expected[form].size(); ++i) near(found[form][i], expected[form][i]);
        near(found[form][6], 0.00025);
        near(found[form][7], 0.00007905694);
    }
    const auto wide = table(32, at_factor("yarn", 4, 32, 65536));
    const std::vector<double> middle = {0.00316228,  0.00158775,  0.000785714,
                                        0.000381589, 0.000180702, 0.0000825630};
    for (std::size_t i = 0; i < middle.size(); ++i) EXPECT_NEAR(wide[10 + i], middle[i], 4e-6 * middle[i]);
    EXPECT_NE(rope_card(16, at_factor("yarn", 4, 16)).conventions.at("scaling: ramp").find("index"),
              std::string::npos);
}

// D10: a scaled position is a plain one at a factor of the place, and the base stays.
TEST(ScalingFaults, InterpolationOfPositions) {
    const LoneEncoding plain("rope", {{"base", 500000.0}}, head_of(16));
    const LoneEncoding scaled_rope("rope", with_base(500000, at_factor("linear", 4, 16)), head_of(16));
    const Tensor four = scaled_rope.terms(at({4, 0, 1})).query.sin.value();
    const Tensor one = plain.terms(at({1, 0, 1})).query.sin.value();
    double first = 0;
    for (Index i = 0; i < 8; ++i) {
        EXPECT_NEAR(four.data()[i], one.data()[i], 1e-7);
        EXPECT_EQ(four.data()[8 + i], one.data()[8 + i]);
        first = std::max(first, std::abs(static_cast<double>(four.data()[16 + i] - one.data()[16 + i])));
    }
    EXPECT_GT(first, 0.1);
}

TEST(ScalingBetas, LengthScaledSuitsShortModels) {
    const std::vector<std::pair<Index, double>> betas = {{64, 3.5}, {128, 5.1}, {256, 7.5}, {512, 10.9}};
    for (const auto& [length, fast] : betas) {
        const Choices own = {{"factor", 4.0}, {"betas", std::string("length_scaled")}};
        const EncodingCard card = rope_card(32, scaled("yarn", own, length));
        const std::string& said = card.conventions.at("scaling: ramp");
        EXPECT_NE(said.find("length_scaled"), std::string::npos) << said;
        const double exact = std::pow(static_cast<double>(length) / (2 * std::acos(-1.0)), 0.543);
        EXPECT_NEAR(exact, fast, 0.05);
        EXPECT_EQ(card.inv_freq, table(32, scaled("yarn", {{"factor", 4.0}, {"beta_fast", exact}}, length)));
    }
}

TEST(ScalingRefusals, NameWhatIsWrong) {
    const auto refused = [](const std::string& rule, const Choices& own,
                            const std::vector<std::string>& parts, Index width = 8) {
        const std::string message = refusal_of("rope", scaled(rule, own, 64), head_of(width));
        expect_mentions(message, parts);
        expect_mentions(message, {rule});
    };
    for (const char* rule : {"linear", "ntk", "ntk_by_parts", "ntk_by_parts_v1", "yarn", "llama3"}) {
        refused(rule, {{"factor", 0.25}}, {"factor", "1 or more", "0.25"});
        refused(rule, {}, {"factor", "target_length"});
        refused(rule, {{"factor", 4.0}, {"target_length", Index{512}}}, {"4", "64", "256", "512"});
        refused(rule, {{"target_length", Index{32}}}, {"target_length 32", "64"});
    }
    refused("dynamic", {{"factor", 0.5}}, {"factor", "0.5"});
    refused("ntk", {{"factor", 2.0}}, {"more than one pair"}, 2);
    const auto list = [](std::vector<double> factors) {
        return Choices{{"long_factor", factors}, {"factor", 4.0}};
    };
    refused("longrope", list({}), {"long_factor", "expected 4", "found 0"});
    refused("longrope", list({1, 2, 3}), {"long_factor", "expected 4", "found 3"});
    refused("longrope", list({1, 3, 2, 4}), {"long_factor", "must not fall", "pair 2"});
    refused("longrope", list({0, 1, 2, 4}), {"long_factor", "above 0", "found 0"});
    refused("longrope", list({-1, 1, 2, 4}), {"long_factor", "above 0", "found -1"});
    refused("longrope", {{"long_factor", std::vector<double>{1, 2, 3, 4}}}, {"factor", "target_length"});
    Choices both = list({1, 2, 3, 4});
    both.emplace_back("short_factor", std::vector<double>{1, 2});
    refused("longrope", both, {"short_factor", "expected 4", "found 2"});
    refused("yarn", {{"factor", 4.0}, {"beta_fast", 1.0}, {"beta_slow", 2.0}}, {"beta_fast"});
    refused("llama3", {{"factor", 4.0}, {"low_freq_factor", 4.0}}, {"high_freq_factor"});
}

TEST(ScalingRefusals, RulesThatAnEncodingDoesNotHave) {
    for (const char* kind : {"learned", "nope", "sinusoidal", "kerple", "cope"}) {
        EXPECT_TRUE(scaling_rules(EncodingRegistry::instance().at(kind)).empty()) << kind;
        EXPECT_THROW(options_under(EncodingRegistry::instance().at(kind), "linear"), Error) << kind;
    }
    EXPECT_THROW(options_under(EncodingRegistry::instance().at("alibi"), "yarn"), Error);
    EXPECT_EQ(scaling_rules(EncodingRegistry::instance().at("rope")), FrequencyRegistry::instance().names());
}

// A distance of s d costs what d did.
TEST(BiasInterpolation, DividesDistances) {
    CardRequest near, far;
    for (std::int64_t d = 0; d < 60; ++d) {
        near.distances.push_back(d);
        far.distances.push_back(4 * d);
    }
    for (const char* kind : {"alibi", "t5"}) {
        const Choices four = {{"scaling.type", std::string("linear")}, {"scaling.factor", 4.0}};
        const LoneEncoding plain(kind), interpolated(kind, four);
        EXPECT_EQ(interpolated.card(far).bias, plain.card(near).bias) << kind;
        EXPECT_NE(interpolated.card(near).bias, plain.card(near).bias) << kind;
        const LoneEncoding one(kind, {{"scaling.type", std::string("linear")}, {"scaling.factor", 1.0}});
        EXPECT_EQ(one.card(far).bias, plain.card(far).bias) << kind;
        expect_mentions(refusal_of(kind, {{"scaling.type", std::string("linear")}, {"scaling.factor", 0.5}},
                                   LoneEncoding::standard()),
                        {"linear", "0.5"});
    }
}

// T5 has a bucket for every distance, ALiBi a number: what attention adds is what the card says.
TEST(BiasInterpolation, IsWhatAttentionAdds) {
    for (const char* kind : {"alibi", "t5"}) {
        const Choices four = {{"scaling.type", std::string("linear")}, {"scaling.factor", 4.0}};
        const LoneEncoding interpolated(kind, four);
        CardRequest request;
        for (std::int64_t d = 0; d < 40; ++d) request.distances.push_back(d);
        const EncodingCard card = interpolated.card(request);
        const DistanceBias bias = interpolated.terms(Positions::consecutive(40)).bias;
        const Index rows = bias.table.size(1);
        for (std::int64_t d = 0; d < 40; ++d) {
            const Index row = bias.rows[static_cast<std::size_t>(d - bias.first)];
            for (Index h = 0; h < 4; ++h)
                EXPECT_NEAR(bias.table.value().data()[h * rows + row],
                            card.bias[static_cast<std::size_t>(h)][static_cast<std::size_t>(d)], rounding);
        }
    }
}

TEST(PairBand, StandsOrTurnsSlower) {
    const auto plain = table(16, {});
    const auto still = table(16, {{"band", std::string("2-4")}});
    const auto slower =
        table(16, {{"band", std::string("0-0")}, {"band_form", std::string("linear")}, {"band_factor", 4.0}});
    for (std::size_t i = 0; i < plain.size(); ++i) {
        EXPECT_EQ(still[i], i >= 2 && i <= 4 ? 0 : plain[i]) << i;
        EXPECT_EQ(slower[i], i == 0 ? plain[i] / 4 : plain[i]) << i;
    }
    for (const char* wrong : {"3", "3-", "4-2", "0-8", "a-b", "0-3x"})
        expect_mentions(refusal_of("rope", {{"band", std::string(wrong)}}, head_of(16)), {"band", wrong});
    expect_mentions(refusal_of("rope", {{"band_factor", 2.0}}, head_of(16)), {"band_factor"});
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
