#include "recipes/engine/evaluation/evaluate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>

#include "tests/recipes/engine/evaluation/support.h"

namespace locus {
namespace {

using test::all_kinds;
using test::evaluate_bytes;
using test::make_model;
using test::plan_of;
using test::RandomText;
using test::scale_parameters;
using test::sharpen;

/// Nats of token `index` after exactly the inputs [start, index), from the logits, in double.
double nats_of(const Transformer& model, const std::vector<Token>& text, Index start, Index index) {
    const Batch input = Batch::of_text(1, {text.begin() + start, text.begin() + index});
    const Variable logits = model.logits(input);
    const Scalar* row = logits.value().data() + (input.length - 1) * 256;
    double sum = 0;
    for (Index i = 0; i < 256; ++i) sum += std::exp(static_cast<double>(row[i]));
    return std::log(sum) - static_cast<double>(row[text[static_cast<std::size_t>(index)]]);
}

TEST(Evaluate, nonOverlappingScoresEachPieceFromItsStart) {
    const RandomText text({50, 1, 17, 2});
    Transformer model = make_model("rope");
    sharpen(model);
    const ProtocolRun run = evaluate_bytes(model, text.split, plan_of({16}, {{"non_overlapping"}})).runs[0];
    EXPECT_EQ(run.documents, 4);
    EXPECT_EQ(run.documents_too_short, 1);
    EXPECT_EQ(run.records[0].count, 49 + 0 + 16 + 1);
    double sum = 0;
    std::size_t item = 0;
    for (std::size_t d = 0; d < text.texts.size(); ++d) {
        for (Index i = 1; i < static_cast<Index>(text.texts[d].size()); ++i, ++item) {
            const double expected = nats_of(model, text.texts[d], (i - 1) / 16 * 16, i);
            EXPECT_NEAR(run.losses.nats[0][item], expected, 1e-4) << d << " " << i;
            EXPECT_EQ(run.losses.document[item], static_cast<Index>(d));
            EXPECT_EQ(run.losses.index[item], i);
            EXPECT_EQ(run.losses.target[item], text.texts[d][static_cast<std::size_t>(i)]);
            sum += expected;
        }
    }
    EXPECT_NEAR(*run.records[0].value("nats_per_token"), sum / 66, 1e-4);
    EXPECT_NEAR(*run.records[0].value("bits_per_byte"), sum / 66 / std::numbers::ln2, 1e-4);
    EXPECT_DOUBLE_EQ(*run.records[0].value("perplexity"), std::exp(*run.records[0].value("nats_per_token")));
}

TEST(Evaluate, slidingScoresNewTokensAfterTheirContext) {
    const RandomText text({60});
    Transformer model = make_model("alibi");
    sharpen(model);
    const ProtocolRun run = evaluate_bytes(model, text.split, plan_of({16}, {{"sliding", 5}})).runs[0];
    EXPECT_EQ(run.records[0].details.at("stride"), 5);
    for (Index i = 1; i < 60; ++i) {
        const Index start = i <= 16 ? 0 : (i - 17) / 5 * 5 + 5;
        EXPECT_NEAR(run.losses.nats[0][static_cast<std::size_t>(i - 1)],
                    nats_of(model, text.texts[0], start, i), 1e-4)
            << i;
    }
}

TEST(Evaluate, sameTargetVariesTheContextOnly) {
    const RandomText text({200, 40, 120});
    Transformer model = make_model("rope");
    sharpen(model);
    const ProtocolRun run =
        evaluate_bytes(model, text.split, plan_of({8, 16, 64}, {{"same_target"}})).runs[0];
    ASSERT_EQ(run.losses.index.size(), 100u);
    EXPECT_EQ(*run.fact("eligible"), 136 + 56);
    EXPECT_EQ(*run.fact("baseline_context"), 16);
    for (std::size_t k = 0; k < 3; ++k) {
        double gain = 0;
        for (std::size_t i = 0; i < 100; ++i) {
            const auto& document = text.texts[static_cast<std::size_t>(run.losses.document[i])];
            const Index index = run.losses.index[i];
            EXPECT_GE(index, 64);
            EXPECT_NEAR(run.losses.nats[k][i], nats_of(model, document, index - run.losses.lengths[k], index),
                        1e-4);
            gain += (run.losses.nats[1][i] - run.losses.nats[k][i]) / 100;
        }
        EXPECT_EQ(run.records[k].count, 100);
        EXPECT_NEAR(*run.records[k].value("gain"), gain, 1e-12);
        EXPECT_LE(run.records[k].interval("gain")->low, gain);
        EXPECT_GE(run.records[k].interval("gain")->high, gain);
        // The model must depend on its context, or nothing is tested.
        EXPECT_EQ(std::abs(gain) > 1e-3, k != 1);
    }
    EXPECT_EQ(*run.records[1].value("gain"), 0);
    EXPECT_EQ(run.records[1].interval("gain")->low, 0);
    EXPECT_EQ(run.records[1].interval("gain")->high, 0);
}

class EachEncoding : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Encodings, EachEncoding, testing::ValuesIn(test::text_encodings()));

// Windows that another length or protocol has run are not run again: not a bit shows it.
TEST_P(EachEncoding, aLengthAloneScoresTheSameBits) {
    const RandomText text({300, 77, 150, 2, 40});
    Transformer model = make_model(GetParam());
    sharpen(model);
    std::vector<Protocol> protocols;
    for (const char* kind : all_kinds) protocols.push_back({kind});
    const std::vector<Index> lengths = {1, 3, 8, 16, 32, 64};
    const EvaluationReport all = evaluate_bytes(model, text.split, plan_of(lengths, protocols));
    for (std::size_t p = 0; p < protocols.size(); ++p) {
        if (protocols[p].name == "same_target") continue;  // its tokens follow the longest
        for (std::size_t k = 0; k < all.runs[p].losses.lengths.size(); ++k) {
            const Index length = all.runs[p].losses.lengths[k];
            const auto alone = evaluate_bytes(model, text.split, plan_of({length}, {protocols[p]}));
            const std::vector<double>&expected = alone.runs[0].losses.nats[0],
                  &found = all.runs[p].losses.nats[k];
            ASSERT_EQ(found.size(), expected.size());
            for (std::size_t i = 0; i < found.size(); ++i) {
                if (std::isnan(expected[i]))
                    EXPECT_TRUE(std::isnan(found[i])) << length << " " << i;
                else
                    EXPECT_EQ(found[i], expected[i]) << text_of(protocols[p]) << " " << length << " " << i;
            }
        }
    }
}

// Only the places that are asked go through what follows the last attention: not a bit shows it.
TEST_P(EachEncoding, aPlaceScoresTheSameBitsWithoutTheOthers) {
    const RandomText text({40});
    Transformer model = make_model(GetParam(), 64);
    sharpen(model);
    const std::vector<Token> targets(text.texts[0].begin() + 1, text.texts[0].end());
    for (const Index batch : {1, 3}) {
        const std::vector<Token> tokens(text.texts[0].begin(), text.texts[0].begin() + 39);
        const auto loss_of = [&](const std::vector<Token>& wanted) {
            return model.loss(Batch::of_text(batch, tokens, wanted), {.keep_each = true});
        };
        const Loss all = loss_of(targets);
        double total = 0;
        std::vector<Token> some(39, Batch::no_target);
        for (const std::size_t place : {5, 6, 11, 38}) {
            some[place] = targets[place];
            total += all.each[place];
            std::vector<Token> one(39, Batch::no_target);
            one[place] = targets[place];
            EXPECT_EQ(loss_of(one).each[place], all.each[place]) << place;
            EXPECT_EQ(loss_of(one).total, all.each[place]);
        }
        const Loss few = loss_of(some);
        EXPECT_EQ(few.total, total);
        EXPECT_EQ(few.weight, 4);
        for (std::size_t i = 0; i < 39; ++i) EXPECT_EQ(few.each[i], some[i] < 0 ? 0 : all.each[i]) << i;
    }
}

// Short contexts share the targets of the longest, and gains stay those over the trained length.
TEST(Evaluate, contextsBelowTheTrainedLengthMeetTheSameTargets) {
    const RandomText text({200, 40, 120});
    Transformer model = make_model("rope");
    sharpen(model);
    const auto same_target = [&](const std::vector<Index>& lengths) {
        return evaluate_bytes(model, text.split, plan_of(lengths, {{"same_target"}})).runs[0];
    };
    const ProtocolRun all = same_target({1, 2, 4, 8, 16, 32, 64}), beyond = same_target({16, 32, 64});
    EXPECT_EQ(all.losses.index, beyond.losses.index);
    EXPECT_EQ(*all.fact("baseline_context"), 16);
    EXPECT_TRUE(all.notes.empty());
    for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(all.losses.nats[k + 4], beyond.losses.nats[k]);
        EXPECT_EQ(*all.records[k + 4].value("gain"), *beyond.records[k].value("gain"));
    }
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(all.records[k].count, 100);

    const ProtocolRun without = same_target({4, 8, 32, 64});
    EXPECT_EQ(*without.fact("baseline_context"), 8);  // the longest that is not beyond what was trained
    ASSERT_EQ(without.notes.size(), 1u);
    EXPECT_EQ(without.notes[0], "the trained length 16 is not among the contexts: gains are counted from 8");
}

TEST(Evaluate, perPositionIsTheMeanOverFullWindows) {
    const RandomText text({70, 32, 33});
    Transformer model = make_model("rope");
    sharpen(model);
    const ProtocolRun run = evaluate_bytes(model, text.split, plan_of({16, 32}, {{"per_position"}})).runs[0];
    ASSERT_EQ(run.records.size(), position_edges(32).size() - 1);
    EXPECT_EQ(run.losses.index.size(), 3u * 32);  // two windows of the first document, one of the third
    Index tokens = 0;
    for (const Record& result : run.records) {
        const auto [low, high] = test::bin_of(result);
        double sum = 0;
        for (Index p = low; p < high; ++p) {
            sum += nats_of(model, text.texts[0], 0, p + 1) + nats_of(model, text.texts[0], 32, 32 + p + 1) +
                   nats_of(model, text.texts[2], 0, p + 1);
        }
        EXPECT_EQ(result.count, 3 * (high - low));
        EXPECT_NEAR(*result.value("nats_per_token"), sum / static_cast<double>(*result.count), 1e-4);
        tokens += *result.count;
    }
    EXPECT_EQ(tokens, 96);
}

TEST(Evaluate, aZeroOutputMatrixGivesEightBitsEverywhere) {
    const RandomText text({1000});
    Transformer model = make_model("rope");
    scale_parameters(model, "tokens.weight", 0);
    std::vector<Protocol> protocols = {{"non_overlapping"}, {"per_position"}, {"same_target"},
                                       {"sliding"},         {"sliding", 3},   {"sliding", 16}};
    const EvaluationReport report = evaluate_bytes(model, text.split, plan_of({16, 50, 128}, protocols));
    ASSERT_EQ(report.runs.size(), 6u);
    for (const ProtocolRun& run : report.runs) {
        EXPECT_GE(run.records.size(), 3u);
        for (const Record& result : run.records) {
            EXPECT_NEAR(*result.value("perplexity"), 256, 1e-4);
            EXPECT_NEAR(*result.value("bits_per_byte"), 8, 1e-6);
            const bool is_paired = run.protocol == "same_target";
            EXPECT_EQ(result.value("gain").value_or(0), 0);
            EXPECT_EQ(result.value("gain").has_value(), is_paired);
            if (is_paired || result.coordinates.contains("bin")) continue;
            EXPECT_EQ(result.count, 999) << run.protocol << " " << test::length_of(run, result);
        }
    }
}

// Without what attention writes, a token is predicted from the token before it alone.
TEST(Evaluate, aContextBlindModelGainsNothing) {
    const RandomText text({400, 300, 200});
    Transformer model = make_model("rope");
    sharpen(model);
    scale_parameters(model, "attention.output.weight", 0);
    const ProtocolRun run =
        evaluate_bytes(model, text.split, plan_of({16, 32, 64}, {{"same_target"}})).runs[0];
    EXPECT_GT(*run.records[0].value("nats_per_token"), 5.6);
    for (const Record& result : run.records) EXPECT_NEAR(*result.value("gain"), 0, 1e-5);
}

TEST(SplitLoss, isTheNonOverlappingLoss) {
    const RandomText text({100, 30, 1});
    Transformer model = make_model("rope");
    sharpen(model);
    Workers workers(1);
    const TokenSum sum = split_loss(model, text.split, 16, workers);
    const auto run = evaluate_bytes(model, text.split, plan_of({16}, {{"non_overlapping"}})).runs[0];
    EXPECT_EQ(sum.tokens, 128);
    EXPECT_EQ(sum.mean(), *run.records[0].value("nats_per_token"));
}

}  // namespace
}  // namespace locus
