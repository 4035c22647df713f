// What every registered encoding owes, whichever it is.
#include <filesystem>
#include <map>
#include <set>

#include "models/scaling.h"
#include "models/spellings.h"
#include "tests/models/support.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

class Registered : public EachEncoding {};
INSTANTIATE_TEST_SUITE_P(Encodings, Registered, every_encoding(), encoding_name);

// A file each, called as what it registers: nothing is lost on the way to a program.
std::vector<std::string> files_of(const char* folder) {
    std::vector<std::string> names;
    const auto path = std::filesystem::path(LOCUS_ORACLES) / "../../models" / folder;
    for (const auto& entry : std::filesystem::directory_iterator(path))
        names.push_back(entry.path().stem().string());
    EXPECT_GT(names.size(), 8U);
    return names;
}

TEST(EncodingRegistry, HoldsEveryFile) {
    for (const std::string& name : files_of("encodings"))
        EXPECT_TRUE(EncodingRegistry::instance().contains(name)) << name;
    for (const std::string& name : files_of("frequencies"))
        EXPECT_TRUE(FrequencyRegistry::instance().contains(name)) << name;
    EXPECT_TRUE(EncodingRegistry::instance().contains(no_encoding));
}

// What HF configurations say is an option, or a rule, of something that is registered.
TEST(EncodingRegistry, KnowsWhatSpellingsStandFor) {
    std::set<std::string> options = {"scaling.type"};
    for (const std::string& name : EncodingRegistry::instance().names())
        for (const Option& option : EncodingRegistry::instance().at(name).options)
            options.insert(option.name);
    for (const std::string& name : FrequencyRegistry::instance().names())
        for (const Option& option : scaling_options(name)) options.insert(option.name);
    for (const auto& [spelling, option] : option_spellings())
        EXPECT_TRUE(options.contains(option)) << spelling << " " << option;
    for (const auto& [spelling, rule] : rule_spellings())
        EXPECT_TRUE(FrequencyRegistry::instance().contains(rule)) << spelling << " " << rule;
}

// One rule takes what a search finds, and says so in options of its own; what it begins with fits the pairs.
TEST(FrequencyRegistry, HasWhatASearchNeeds) {
    int searched = 0;
    for (const std::string& name : FrequencyRegistry::instance().names()) {
        const FrequencyRule& rule = FrequencyRegistry::instance().at(name);
        for (const Index width : {2, 4, 16}) {
            const FrequencyRequest request{width, 10000, 64, 256};
            const auto pairs = static_cast<std::size_t>(width / 2);
            if (rule.search_seeds) {
                for (const auto& factors : rule.search_seeds(request, 4))
                    EXPECT_EQ(factors.size(), pairs) << name;
            }
            if (!rule.of_found) continue;
            ++searched;
            for (const bool within : {false, true}) {
                Options options(rule.options);
                options.set("original_length", Index{64});
                const std::vector<double> factors(pairs, 2.0);
                if (within)
                    for (const auto& [option, value] : rule.reaching(4, width / 2))
                        options.set(option, value);
                for (const auto& [option, value] :
                     rule.of_found({.of_pairs = factors, .within = within, .reach = 4}))
                    options.set(option, value);
                FrequencyRequest asked = request;
                if (within) asked.length = 64;
                const auto inverse = rule.frequencies(asked, options).inverse,
                           plain = plain_frequencies(asked);
                for (std::size_t i = 0; i < pairs; ++i) EXPECT_EQ(inverse[i], plain[i] / 2) << name;
            }
        }
    }
    EXPECT_EQ(searched, 3);
}

void check_options(const std::vector<Option>& options) {
    std::set<std::string> names;
    for (const Option& option : options) {
        EXPECT_FALSE(option.name.empty());
        EXPECT_FALSE(option.doc.empty()) << option.name;
        EXPECT_TRUE(names.insert(option.name).second) << option.name << " is there twice";
        if (const auto* text = std::get_if<std::string>(&option.standard); text && !option.choices.empty()) {
            EXPECT_EQ(std::count(option.choices.begin(), option.choices.end(), *text), 1) << option.name;
        }
        if (const auto* number = std::get_if<double>(&option.standard)) {
            EXPECT_LE(option.min, *number) << option.name;
            EXPECT_LE(*number, option.max) << option.name;
        }
        if (const auto* number = std::get_if<Index>(&option.standard)) {
            EXPECT_LE(option.min, static_cast<double>(*number)) << option.name;
            EXPECT_LE(static_cast<double>(*number), option.max) << option.name;
        }
    }
}

TEST_P(Registered, SaysWhatItIs) {
    const EncodingEntry& entry = EncodingRegistry::instance().at(GetParam());
    EXPECT_FALSE(entry.doc.empty());
    check_options(entry.options);
    ASSERT_FALSE(entry.axes.empty());
    for (Index axes : entry.axes) EXPECT_TRUE(axes >= 1 && axes <= 3) << axes;
}

// What an encoding's own products take in training, per token in a window of 20, in the small model (2
// layers, width 16, 2 heads); an encoding that is not here has none.
const std::map<std::string, double> flops_of_own_products = {
    // queries times vectors of distances, and weights times those of values: 17 vectors, 9.775 met on average
    {"shaw", 6 * 2 * 16 * 2 * 9.775},
    // a projection of 16 x 16 per layer on one distance per token; queries times 10 distances on average
    {"transformer_xl", 6 * 2 * 16 * 16 + 6 * 2 * 16 * 10},
    // layers of 1 x 32 and 32 x 2 on 10 pairs per query
    {"fire", 6 * (32 + 64) * 10},
    // queries times 10 rows
    {"cope", 6 * 2 * 16 * 10},
};

TEST_P(Registered, CostsItsOwnProductsAndNothingElse) {
    const auto flops = [](const std::string& kind, bool tied) {
        ModelOptions model = small_model();
        model.tie_embeddings = tied;
        return Transformer(model, encoding_options(kind), {}, 64, 1).flops_per_token(20);
    };
    const auto own = flops_of_own_products.find(GetParam());
    const double expected = own == flops_of_own_products.end() ? 0 : own->second;
    for (const bool tied : {true, false})
        EXPECT_NEAR(flops(GetParam(), tied) - flops("nope", tied), expected, 1e-9 * flops("nope", tied));
}

// Positions with axes that an encoding does not read are refused by name, by the encoding and by the model.
TEST_P(Registered, RefusesPositionsOfAnotherKind) {
    const auto model = make_model(encoding_options(GetParam()), small_model());
    const LoneEncoding encoding(GetParam());
    Sample sample(1, 9);
    int refused = 0;
    for (Index axes : {1, 2, 3}) {
        sample.positions = arranged(Positions::consecutive(9), axes);
        if (EncodingRegistry::instance().at(GetParam()).reads(axes)) {
            EXPECT_NO_THROW(model->logits(sample.input()));
            EXPECT_NO_THROW(encoding.terms(sample.positions));
            continue;
        }
        ++refused;
        try {
            model->logits(sample.input());
            ADD_FAILURE() << axes;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Failure::usage);
            EXPECT_NE(std::string(error.what()).find(GetParam()), std::string::npos) << error.what();
            EXPECT_NE(std::string(error.what()).find(std::to_string(axes)), std::string::npos)
                << error.what();
        }
    }
    EXPECT_EQ(refused == 0, !EncodingRegistry::instance().at(GetParam()).reads_positions);
}

TEST(FrequencyRegistry, SaysWhatItsRulesAre) {
    for (const std::string& name : FrequencyRegistry::instance().names()) {
        const FrequencyRule& rule = FrequencyRegistry::instance().at(name);
        EXPECT_FALSE(rule.doc.empty()) << name;
        check_options(rule.options);
    }
}

// Without its terms the model computes something else: the encoding is in use.
TEST_P(Registered, ChangesTheLogitsUnlessItIsNone) {
    const auto model = make_model(encoding_options(GetParam()), small_model());
    const auto bare = make_model(encoding_options("nope"), small_model());
    const Sample sample = sample_for(GetParam(), 2, 20);
    const double difference =
        largest_difference(model->logits(sample.input()).value(), bare->logits(sample.input()).value());
    if (GetParam() == "nope") {
        EXPECT_EQ(difference, 0);
    } else {
        EXPECT_GT(difference, 1e-2);
    }
}

TEST_P(Registered, SharesInitialValuesWithEveryOtherArm) {
    const Transformer model(small_model(), encoding_options(GetParam()), {}, 64, 7);
    const Transformer bare(small_model(), encoding_options("nope"), {}, 64, 7);
    std::size_t shared = 0;
    for (std::size_t i = 0; i < bare.parameters().parameters().size(); ++i) {
        for (std::size_t k = 0; k < model.parameters().parameters().size(); ++k) {
            if (model.parameters().parameters()[k].name != bare.parameters().parameters()[i].name) continue;
            ++shared;
            EXPECT_EQ(largest_difference(
                          model.parameters().view(model.parameters().values(), static_cast<Index>(k)),
                          bare.parameters().view(bare.parameters().values(), static_cast<Index>(i))),
                      0);
        }
    }
    EXPECT_EQ(shared, bare.parameters().parameters().size());
}

TEST_P(Registered, DescribesItself) {
    const LoneEncoding encoding(GetParam());
    const EncodingCard card = encoding.card({.positions = {0, 1, 5}, .length = 64, .distances = {0, 1, 7}});
    EXPECT_TRUE(card.embedding.empty() || card.embedding.size() == 3);
    for (const auto& head : card.bias) EXPECT_EQ(head.size(), 3U);
    EXPECT_EQ(card.conventions.empty(), GetParam() == "nope");
}

// Positions that are asked for again, or after others, give the same terms: nothing stale is kept.
TEST_P(Registered, TermsDependOnThePositionsOnly) {
    const auto model = make_model(encoding_options(GetParam()), small_model());
    Sample sample = sample_for(GetParam(), 2, 20), other(2, 20);
    other.positions = arranged_for(GetParam(), restarted(2, 20, 6));
    const Tensor first = model->logits(sample.input()).value();
    const Tensor between = model->logits(other.input()).value();
    EXPECT_EQ(largest_difference(model->logits(sample.input()).value(), first), 0);
    EXPECT_EQ(largest_difference(between, first) > 1e-3,
              EncodingRegistry::instance().at(GetParam()).reads_positions);
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
