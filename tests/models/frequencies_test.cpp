// The frequency rules against values that were worked out in 50-digit arithmetic.
#include "tests/models/scaling_support.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

using nlohmann::json;

const std::string turns = "turns";

TEST(FrequencyRules, LinearAndNtk) {
    const json cases = oracle("rope_linear_ntk.json")["cases"];
    ASSERT_EQ(cases.size(), 30U);
    for (const auto& c : cases) {
        SCOPED_TRACE(c["d"].dump() + " " + c["base"].dump() + " " + c["scale"].dump());
        const Choices factor = {{"factor", c["scale"].get<double>()}};
        const double base = c["base"];
        const EncodingCard linear = rope_card(c["d"], with_base(base, scaled("linear", factor)));
        expect_relative(linear.inv_freq, c["linear_inv_freq"], 1e-12);
        EXPECT_EQ(linear.base, base);
        const EncodingCard ntk = rope_card(c["d"], with_base(base, scaled("ntk", factor)));
        expect_relative(ntk.inv_freq, c["ntk_inv_freq"], 1e-12);
        expect_relative({*ntk.base}, {c["ntk_base"].get<double>()}, 1e-12);
        EXPECT_EQ(ntk.inv_freq.front(), 1);
        expect_relative({ntk.inv_freq.back()}, {linear.inv_freq.back()}, 1e-12);
        EXPECT_EQ(linear.magnitude, 1);
        EXPECT_EQ(ntk.magnitude, 1);
    }
}

TEST(FrequencyRules, DynamicFollowsTheLength) {
    const json cases = oracle("dynamic_ntk.json")["cases"];
    ASSERT_EQ(cases.size(), 54U);
    std::size_t tables = 0;
    for (const auto& c : cases) {
        SCOPED_TRACE(c.dump().substr(0, 90));
        const Choices choices = with_base(
            c["base"], scaled("dynamic", {{"factor", c["factor"].get<double>()}}, c["L"].get<Index>()));
        const EncodingCard card = rope_card(c["d"], choices, c["seq_len"]);
        expect_relative({*card.base}, {c["base_eff"].get<double>()}, 1e-12);
        if (c["seq_len"].get<Index>() <= c["L"].get<Index>()) {
            EXPECT_EQ(card.inv_freq, rope_card(c["d"], with_base(c["base"], {})).inv_freq);
        }
        if (!c.contains("inv_freq") || c["inv_freq"].is_null()) continue;
        ++tables;
        expect_relative(card.inv_freq, c["inv_freq"], 1e-12);
    }
    EXPECT_GE(tables, 18U);
}

TEST(FrequencyRules, FirstFormOfByParts) {
    const json cases = oracle("ntk_by_parts_v1.json")["cases"];
    ASSERT_EQ(cases.size(), 9U);
    for (const auto& c : cases) {
        SCOPED_TRACE(c.dump().substr(0, 90));
        const Choices choices =
            with_base(c["base"],
                      scaled("ntk_by_parts_v1", {{"factor", c["scale"].get<double>()}}, c["L"].get<Index>()));
        expect_relative(rope_card(c["d"], choices).inv_freq, c["inv_freq"], 1e-12);
    }
}

TEST(FrequencyRules, YarnInThreeForms) {
    const json cases = oracle("yarn_inv_freq.json")["cases"];
    ASSERT_EQ(cases.size(), 25U);
    for (const auto& c : cases) {
        SCOPED_TRACE(c.dump().substr(0, 90));
        const auto card = [&](const std::string& rule, Choices own) {
            own.emplace_back("factor", c["scale"].get<double>());
            return rope_card(c["d"], with_base(c["base"], scaled(rule, own, c["L_orig"].get<Index>())));
        };
        expect_relative(card("yarn", {}).inv_freq, c["inv_freq_truncate"], 1e-12);
        expect_relative(card("yarn", {{"truncate", false}}).inv_freq, c["inv_freq_no_truncate"], 1e-12);
        expect_relative(card("yarn", {{"ramp", turns}}).inv_freq, c["inv_freq_paper_gamma"], 1e-12);
        expect_relative(card("ntk_by_parts", {}).inv_freq, c["inv_freq_paper_gamma"], 1e-12);
    }
}

// theta'(w, s) = theta (w + (1 - w) / s), so a factor of 2^40 leaves theta w but for 1e-12.
TEST(FrequencyRules, YarnRamps) {
    const json cases = oracle("yarn_ramp.json")["cases"];
    ASSERT_EQ(cases.size(), 10U);
    const double factor = std::exp2(40);
    for (const auto& c : cases) {
        SCOPED_TRACE(c.dump().substr(0, 90));
        const auto kept = [&](Choices own) {
            own.emplace_back("factor", factor);
            own.emplace_back("beta_fast", c["beta_fast"].get<double>());
            own.emplace_back("beta_slow", c["beta_slow"].get<double>());
            const Index width = c["d"];
            const auto plain = rope_card(width, with_base(c["base"], {})).inv_freq;
            auto weights =
                rope_card(width, with_base(c["base"], scaled("yarn", own, c["L_orig"].get<Index>())))
                    .inv_freq;
            for (std::size_t i = 0; i < weights.size(); ++i)
                weights[i] = (weights[i] / plain[i] - 1 / factor) / (1 - 1 / factor);
            return weights;
        };
        const auto expect_weights = [&](const std::vector<double>& actual, const json& expected) {
            ASSERT_EQ(actual.size(), expected.size());
            for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-12) << i;
        };
        expect_weights(kept({}), c["extrapolation_weight_truncate"]);
        expect_weights(kept({{"truncate", false}}), c["extrapolation_weight_no_truncate"]);
        expect_weights(kept({{"ramp", turns}}), c["gamma_paper"]);
    }
}

TEST(FrequencyRules, YarnAttentionFactors) {
    const json data = oracle("yarn_attention_factor.json");
    const auto magnitude = [](double s, Choices own) {
        own.emplace_back("factor", s);
        return rope_card(16, scaled("yarn", own, 64)).magnitude;
    };
    std::size_t seen = 0;
    for (const auto& c : data["cases"]) {
        ++seen;
        const double s = c["s"];
        EXPECT_NEAR(magnitude(s, {}), c["m"], 1e-15);
        EXPECT_NEAR(std::pow(magnitude(s, {}), 2), c["m_squared"], 1e-14);
        EXPECT_NEAR(magnitude(s, {{"temperature", std::string("survey_reversed")}}), c["survey_form"], 1e-15);
        EXPECT_EQ(magnitude(s, {{"attention_factor", 1.0}}), 1);
        EXPECT_EQ(magnitude(s, {{"attention_factor", 0.77}}), 0.77);
    }
    EXPECT_EQ(seen, 10U);
    ASSERT_EQ(data["deepseek_examples"].size(), 2U);
    const auto number = [](const json& value) {
        return value.is_string() ? std::stod(value.get<std::string>()) : value.get<double>();
    };
    for (const auto& c : data["deepseek_examples"]) {
        const double s = c["s"], weight = number(c["mscale"]);
        EXPECT_NEAR(magnitude(s, {{"mscale", weight}, {"mscale_all_dim", number(c["mscale_all_dim"])}}),
                    c["cos_sin_factor"].get<double>(), 1e-15);
        // A divisor of (all but) one leaves the numerator, whose square DeepSeek's softmax scale gets.
        const double numerator = magnitude(s, {{"mscale", weight}, {"mscale_all_dim", 1e-13}});
        EXPECT_NEAR(numerator, c["get_mscale"].get<double>(), 1e-12);
        EXPECT_NEAR(numerator * numerator, c["softmax_scale_multiplier"].get<double>(), 2e-12);
    }
    EXPECT_NEAR(magnitude(40, {{"mscale", 1.0}, {"mscale_all_dim", 0.707}}),
                (0.1 * std::log(40.0) + 1) / (0.0707 * std::log(40.0) + 1), 1e-15);
}

TEST(FrequencyRules, Llama3) {
    const json cases = oracle("llama3_rope.json")["cases"];
    ASSERT_EQ(cases.size(), 5U);
    for (const auto& c : cases) {
        SCOPED_TRACE(c.dump().substr(0, 90));
        const Choices own = {{"factor", c["factor"].get<double>()},
                             {"low_freq_factor", c["low_freq_factor"].get<double>()},
                             {"high_freq_factor", c["high_freq_factor"].get<double>()}};
        const Choices choices = with_base(c["base"], scaled("llama3", own, c["L_orig"].get<Index>()));
        expect_relative(rope_card(c["d"], choices).inv_freq, c["inv_freq"], 1e-12);
    }
}

TEST(FrequencyRules, LongropeAttentionFactors) {
    const json cases = oracle("longrope.json")["attention_factor"];
    ASSERT_EQ(cases.size(), 36U);
    for (const auto& c : cases) {
        const auto card = [&](Choices own) {
            own.emplace_back("factor", c["s"].get<double>());
            own.emplace_back("long_factor", std::vector<double>(4, c["s"].get<double>()));
            return rope_card(8, scaled("longrope", own, c["L_orig"].get<Index>())).magnitude;
        };
        EXPECT_NEAR(card({}), c["value"], 1e-15);
        EXPECT_NEAR(card({{"magnitude", std::string("yarn")}}), 0.1 * std::log(c["s"].get<double>()) + 1,
                    1e-15);
        EXPECT_EQ(card({{"attention_factor", 1.25}}), 1.25);
    }
}

TEST(FrequencyRules, LongropeKeepsTheFirstPositions) {
    const json c = oracle("longrope.json")["n_hat_example"];
    const Choices own = {{"long_factor", c["lambda"].get<std::vector<double>>()},
                         {"start_token_idx", c["n_hat"].get<Index>()},
                         {"attention_factor", 1.0}};
    const LoneEncoding rope("rope", with_base(c["base"], scaled("longrope", own, 64)), head_of(c["d"]));
    const Positions positions = at(c["positions"]);
    const PositionTerms terms = rope.encoding->terms(positions, positions, {65, 0, Site::self_causal});
    expect_angles(terms.query, c["angles"]);
}

// The switch: short factors up to the trained length, long ones beyond, a class of lengths each.
TEST(FrequencyRules, LongropeSwitchesBeyondTheTrainedLength) {
    const Choices own = {{"long_factor", std::vector<double>{1, 2, 3, 4}},
                         {"short_factor", std::vector<double>{1, 1, 1, 1.5}},
                         {"factor", 4.0}};
    const LoneEncoding rope("rope", scaled("longrope", own, 64), head_of(8));
    const auto plain = rope_card(8, {}).inv_freq;
    const auto near = rope_card(8, scaled("longrope", own, 64), 64).inv_freq,
               far = rope_card(8, scaled("longrope", own, 64), 65).inv_freq;
    expect_relative(near, {plain[0], plain[1], plain[2], plain[3] / 1.5}, 0);
    expect_relative(far, {plain[0], plain[1] / 2, plain[2] / 3, plain[3] / 4}, 0);
    EXPECT_TRUE(rope.encoding->varies_by_length());
    EXPECT_EQ(rope.encoding->length_class(1), rope.encoding->length_class(64));
    EXPECT_NE(rope.encoding->length_class(64), rope.encoding->length_class(65));
    EXPECT_EQ(rope.encoding->length_class(65), rope.encoding->length_class(1000));
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
