// Verification passes what is right and names what is wrong: encodings with one fault each must fail.
#include "recipes/engine/verify/verify.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "models/scaling.h"
#include "recipes/engine/verify/verify_model.h"

namespace locus {
namespace {

enum class Fault { none, length_unsaid, counts_from_the_first_query, absolute_angle, no_effect };

// A bias of -|distance| / 10, or a rotation, with a fault.
class Faulty : public PositionalEncoding {
  public:
    Faulty(Fault fault, const EncodingShape& shape) : fault_(fault), heads_(shape.heads) {}

    PositionTerms terms(const Positions& query, const Positions& key, const Context& context) const override {
        PositionTerms terms;
        if (fault_ == Fault::no_effect) return terms;
        if (fault_ == Fault::absolute_angle) {
            terms.query = turned(query, 1.0);
            terms.key = turned(key, 1.001);
            return terms;
        }
        const Positions at =
            fault_ == Fault::counts_from_the_first_query ? Positions::consecutive(query.length()) : query;
        terms.bias.first = query.min() - key.max();
        const Index count = query.max() - key.min() - terms.bias.first + 1;
        const double slope = fault_ == Fault::length_unsaid ? 1 / static_cast<double>(context.length) : 0.1;
        MutableTensor table = Tensor::empty({heads_, count});
        for (Index d = 0; d < count; ++d) {
            terms.bias.rows.push_back(static_cast<std::int32_t>(d));
            const std::int64_t offset =
                fault_ == Fault::counts_from_the_first_query ? query.min() - at.min() : 0;
            const double distance = std::abs(static_cast<double>(terms.bias.first + d - offset));
            for (Index h = 0; h < heads_; ++h)
                table.data()[h * count + d] = static_cast<Scalar>(-slope * distance);
        }
        terms.bias.table = table;
        return terms;
    }
    void describe(EncodingCard&, const CardRequest&) const override {}

  private:
    static Rotation turned(const Positions& positions, double factor) {
        MutableTensor cos = Tensor::empty({positions.batch(), 1, positions.length(), 1}),
                      sin = Tensor::empty(cos.shape());
        for (Index i = 0; i < cos.count(); ++i) {
            const std::int64_t p = positions(i / positions.length(), i % positions.length());
            const double angle = p == Positions::none ? 0 : factor * static_cast<double>(p);
            cos.data()[i] = static_cast<Scalar>(std::cos(angle));
            sin.data()[i] = static_cast<Scalar>(std::sin(angle));
        }
        return {cos, sin, Pairing::half_split};
    }

    Fault fault_;
    Index heads_;
};

bool add_faulty(const std::string& name, Fault fault) {
    return EncodingRegistry::instance().add(
        name, {.doc = "in the tests only",
               .options = {},
               .make = [fault](const Options&, const EncodingShape& shape, const ParameterScope&) {
                   return std::make_unique<Faulty>(fault, shape);
               }});
}

const bool added = add_faulty("sound", Fault::none) && add_faulty("length_unsaid", Fault::length_unsaid) &&
                   add_faulty("counts_from_the_first_query", Fault::counts_from_the_first_query) &&
                   add_faulty("absolute_angle", Fault::absolute_angle) &&
                   add_faulty("no_effect", Fault::no_effect);

// Rules of others: their option is not called factor; one says how it is plain, and may say it wrongly, one
// says nothing.
bool says_wrongly = false;

Frequencies stretched(const FrequencyRequest& request, const Options& options) {
    Frequencies frequencies{.inverse = plain_frequencies(request)};
    for (double& theta : frequencies.inverse) theta /= options.number("stretch");
    return frequencies;
}

bool add_rule(const std::string& name, decltype(FrequencyRule::reaching) reaching) {
    return FrequencyRegistry::instance().add(
        name, {.doc = "in the tests only",
               .options = {{.name = "stretch", .standard = 3.0, .doc = "what frequencies are divided by"}},
               .reaching = std::move(reaching),
               .frequencies = stretched});
}

const bool rules_added = add_rule("test_says_how",
                                  [](double factor, Index) {
                                      return RuleChoices{{"stretch", says_wrongly ? factor + 1 : factor}};
                                  }) &&
                         add_rule("test_says_nothing", nullptr);

Recipe recipe_with(const std::string& kind) {
    Recipe recipe;
    recipe.model = {.layers = 2, .width = 16, .heads = 2, .kv_heads = 2, .mlp_ratio = 2};
    recipe.encoding = {kind, Options(EncodingRegistry::instance().at(kind).options)};
    recipe.train.length = 16;
    return recipe;
}

// The names of the checks that fail.
std::string failures(const std::string& kind) {
    std::string names;
    for (const Check& check : verify(recipe_with(kind), nullptr, {}).checks) {
        if (!check.passed()) names += check.name + "\n";
    }
    return names;
}

TEST(Verify, PassesWhatIsSound) {
    EXPECT_TRUE(added);
    for (const char* kind : {"sound", "rope", "t5", "alibi", "sinusoidal", "learned", "nope"})
        EXPECT_EQ(failures(kind), "") << kind;
}

TEST(Verify, AsksRulesHowTheyArePlain) {
    ASSERT_TRUE(rules_added);
    std::string names;
    for (const Check& check : verify(recipe_with("rope"), nullptr, {}).checks) names += check.name + "\n";
    EXPECT_EQ(names.find("test_says_nothing"), std::string::npos);
    for (const char* rule :
         {"test_says_how", "plain", "linear", "ntk", "dynamic", "longrope", "yarn", "llama3"})
        EXPECT_NE(names.find(fmt::format("factor 1 of {} = plain RoPE", rule)), std::string::npos) << rule;
    EXPECT_EQ(failures("rope"), "");
    says_wrongly = true;
    EXPECT_EQ(failures("rope"), "factor 1 of test_says_how = plain RoPE\n");
    says_wrongly = false;
}

TEST(Verify, FindsTermsThatFollowTheLengthUnsaid) {
    const std::string names = failures("length_unsaid");
    EXPECT_NE(names.find("one pass = in chunks, the recipe's mask, growing"), std::string::npos) << names;
    EXPECT_NE(names.find("one pass = token by token, the recipe's mask, growing"), std::string::npos)
        << names;
    EXPECT_EQ(names.find("fixed"), std::string::npos) << names;
}

// The fault of a bias that is built from the length of the query: behind a cache it begins again at 0.
TEST(Verify, FindsPositionsThatBeginAgainBehindACache) {
    const std::string names = failures("counts_from_the_first_query");
    for (const char* mode : {"fixed:24", "growing"})
        EXPECT_NE(names.find(std::string("one pass = token by token, window, ") + mode), std::string::npos)
            << names;
}

TEST(Verify, FindsARotationThatIsNotRelative) {
    const std::string names = failures("absolute_angle");
    EXPECT_NE(names.find("rotation: shifts"), std::string::npos) << names;
    EXPECT_EQ(names.find("one pass"), std::string::npos) << names;
}

TEST(Verify, FindsAnEncodingWithoutEffect) {
    EXPECT_EQ(failures("no_effect"),
              "change of the logits without the encoding\n"
              "'dog chases cat' and 'cat chases dog', without a mask: the order is noticed\n");
}

TEST(Verify, ShowsEveryCheck) {
    std::size_t shown = 0;
    const VerifyReport report =
        verify(recipe_with("rope"), nullptr, {.threads = 3, .show = [&](const Check&) { ++shown; }});
    EXPECT_EQ(report.checks.size(), shown);
    EXPECT_TRUE(report.passed());
    EXPECT_GT(report.encoding_effect, 1e-2);
    EXPECT_GE(report.logit_deviation, 1);
}

// Two layers, heads of 8 and trained on 16 tokens: the passes of 24 cross that length.
Recipe scaled_recipe(const std::string& rule, const std::vector<std::pair<std::string, OptionValue>>& own) {
    Recipe recipe = recipe_with("rope");
    recipe.encoding.options = Options(options_under(EncodingRegistry::instance().at("rope"), rule));
    recipe.encoding.options.set("scaling.original_length", Index{16});
    for (const auto& [name, value] : own) recipe.encoding.options.set("scaling." + name, value);
    return recipe;
}

const Check& check_named(const VerifyReport& report, const std::string& name) {
    for (const Check& check : report.checks)
        if (check.name == name) return check;
    ADD_FAILURE() << "no check " << name;
    static const Check none;
    return none;
}

// Where frequencies follow the length, one pass, chunks and single tokens agree within a mode; across the
// modes, and with keys that were rotated at a shorter length, they must not.
TEST(VerifyScaled, RulesThatFollowTheLength) {
    const std::vector<double> far = {1, 1.5, 3, 4}, near = {1, 1, 1.1, 1.2};
    const std::vector<Recipe> recipes = {
        scaled_recipe("dynamic", {{"factor", 4.0}}),
        scaled_recipe("longrope", {{"factor", 4.0}, {"long_factor", far}}),
        scaled_recipe("longrope", {{"factor", 4.0}, {"long_factor", far}, {"short_factor", near}}),
        scaled_recipe("longrope", {{"factor", 4.0}, {"long_factor", far}, {"start_token_idx", Index{3}}})};
    for (const Recipe& recipe : recipes) {
        SCOPED_TRACE(recipe.encoding.options.text("scaling.type"));
        const VerifyReport report = verify(recipe, nullptr, {});
        for (const Check& check : report.checks)
            EXPECT_TRUE(check.passed()) << check.name << check.difference;
        for (const char* mode : {"fixed:24", "growing"}) {
            for (const char* way : {"in chunks", "token by token"}) {
                const Check& check =
                    check_named(report, std::string("one pass = ") + way + ", the recipe's mask, " + mode);
                EXPECT_LE(check.difference, 1e-5);
                EXPECT_LE(check.limit, 1e-5);
            }
        }
        for (const char* name : {"growing steps differ from a fixed pass",
                                 "rotated keys that are kept while the length grows are noticed"}) {
            EXPECT_TRUE(check_named(report, name).at_least);
            EXPECT_GT(check_named(report, name).difference, 1e-3) << name;
        }
    }
}

// A rule that is the same at every length has nothing to differ in, and passes all the same.
TEST(VerifyScaled, RulesThatStandStill) {
    for (const char* rule : {"linear", "ntk", "ntk_by_parts", "ntk_by_parts_v1", "yarn", "llama3"}) {
        const VerifyReport report = verify(scaled_recipe(rule, {{"factor", 4.0}}), nullptr, {});
        EXPECT_TRUE(report.passed()) << rule;
        for (const Check& check : report.checks)
            EXPECT_EQ(check.name.find("growing steps differ"), std::string::npos) << rule;
    }
}

TEST(Check, FailsForWhatIsNoNumber) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE((Check{"", nan, 1}).passed());
    EXPECT_FALSE((Check{"", nan, 1, true}).passed());
    EXPECT_TRUE((Check{"", 1, 1}).passed());
    EXPECT_FALSE((Check{"", 1, 1, true}).passed());
    EXPECT_TRUE(
        std::isnan(largest_difference(Tensor::full({2}, static_cast<Scalar>(nan)), Tensor::zeros({2}))));
}

}  // namespace
}  // namespace locus
