#include "recipes/engine/evaluate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>

#include "tests/evaluate/support.h"

namespace locus {
namespace {

using test::make_model;
using test::RandomText;
using test::scale_parameters;

constexpr ProtocolKind all_kinds[] = {ProtocolKind::non_overlapping, ProtocolKind::sliding,
                                      ProtocolKind::per_position, ProtocolKind::same_target};

EvaluationPlan plan_of(std::vector<Index> lengths, std::vector<Protocol> protocols, Index train_length = 16) {
    return {std::move(lengths), std::move(protocols), 100, train_length, false};
}

EvaluationReport evaluate_bytes(const Transformer& model, const Split& split, const EvaluationPlan& plan,
                                int threads = 1) {
    Workers workers(threads);
    return evaluate(model, split, plan, *make_tokenizer("byte"), workers);
}

/// Nats of token `index` after exactly the inputs [start, index), from the logits, in double.
double nats_of(const Transformer& model, const std::vector<Token>& text, Index start, Index index) {
    ForwardInput input;
    input.tokens =
        std::span(text).subspan(static_cast<std::size_t>(start), static_cast<std::size_t>(index - start));
    input.batch = 1;
    input.length = index - start;
    input.positions = Positions::consecutive(input.length);
    const Variable logits = model.logits(input);
    const Scalar* row = logits.value().data() + (input.length - 1) * 256;
    double sum = 0;
    for (Index i = 0; i < 256; ++i) sum += std::exp(static_cast<double>(row[i]));
    return std::log(sum) - static_cast<double>(row[text[static_cast<std::size_t>(index)]]);
}

/// Makes losses depend on the token, and on what it stands after.
void sharpen(Transformer& model) {
    scale_parameters(model, "tokens.weight", 20);
    scale_parameters(model, "qkv.weight", 10);
}

TEST(Evaluate, nonOverlappingScoresEachPieceFromItsStart) {
    const RandomText text({50, 1, 17, 2});
    Transformer model = make_model("rope");
    sharpen(model);
    const ProtocolRun run =
        evaluate_bytes(model, text.split, plan_of({16}, {{ProtocolKind::non_overlapping}})).runs[0];
    EXPECT_EQ(run.documents, 4);
    EXPECT_EQ(run.documents_too_short, 1);
    EXPECT_EQ(run.results[0].tokens, 49 + 0 + 16 + 1);
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
    EXPECT_NEAR(*run.results[0].nats_per_token, sum / 66, 1e-4);
    EXPECT_NEAR(*run.results[0].bits_per_byte, sum / 66 / std::numbers::ln2, 1e-4);
    EXPECT_DOUBLE_EQ(*run.results[0].perplexity, std::exp(*run.results[0].nats_per_token));
}

TEST(Evaluate, slidingScoresNewTokensAfterTheirContext) {
    const RandomText text({60});
    Transformer model = make_model("alibi");
    sharpen(model);
    const ProtocolRun run =
        evaluate_bytes(model, text.split, plan_of({16}, {{ProtocolKind::sliding, 5}})).runs[0];
    EXPECT_EQ(run.results[0].stride, 5);
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
        evaluate_bytes(model, text.split, plan_of({8, 16, 64}, {{ProtocolKind::same_target}})).runs[0];
    ASSERT_EQ(run.losses.index.size(), 100u);
    EXPECT_EQ(*run.eligible, 136 + 56);
    EXPECT_EQ(*run.baseline_context, 16);
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
        EXPECT_EQ(run.results[k].tokens, 100);
        EXPECT_NEAR(*run.results[k].gain, gain, 1e-12);
        EXPECT_LE(run.results[k].gain_interval->low, gain);
        EXPECT_GE(run.results[k].gain_interval->high, gain);
        // The model must depend on its context, or nothing is tested.
        EXPECT_EQ(std::abs(gain) > 1e-3, k != 1);
    }
    EXPECT_EQ(*run.results[1].gain, 0);
    EXPECT_EQ(run.results[1].gain_interval->low, 0);
    EXPECT_EQ(run.results[1].gain_interval->high, 0);
}

TEST(Evaluate, perPositionIsTheMeanOverFullWindows) {
    const RandomText text({70, 32, 33});
    Transformer model = make_model("rope");
    sharpen(model);
    const ProtocolRun run =
        evaluate_bytes(model, text.split, plan_of({16, 32}, {{ProtocolKind::per_position}})).runs[0];
    ASSERT_EQ(run.results.size(), position_edges(32).size() - 1);
    EXPECT_EQ(run.losses.index.size(), 3u * 32);  // two windows of the first document, one of the third
    Index tokens = 0;
    for (const EvaluationResult& result : run.results) {
        const auto [low, high] = *result.bin;
        double sum = 0;
        for (Index p = low; p < high; ++p) {
            sum += nats_of(model, text.texts[0], 0, p + 1) + nats_of(model, text.texts[0], 32, 32 + p + 1) +
                   nats_of(model, text.texts[2], 0, p + 1);
        }
        EXPECT_EQ(result.tokens, 3 * (high - low));
        EXPECT_NEAR(*result.nats_per_token, sum / static_cast<double>(result.tokens), 1e-4);
        tokens += result.tokens;
    }
    EXPECT_EQ(tokens, 96);
}

TEST(Evaluate, aZeroOutputMatrixGivesEightBitsEverywhere) {
    const RandomText text({1000});
    Transformer model = make_model("rope");
    scale_parameters(model, "tokens.weight", 0);
    std::vector<Protocol> protocols = {{ProtocolKind::non_overlapping}, {ProtocolKind::per_position},
                                       {ProtocolKind::same_target},     {ProtocolKind::sliding},
                                       {ProtocolKind::sliding, 3},      {ProtocolKind::sliding, 16}};
    const EvaluationReport report = evaluate_bytes(model, text.split, plan_of({16, 50, 128}, protocols));
    ASSERT_EQ(report.runs.size(), 6u);
    for (const ProtocolRun& run : report.runs) {
        EXPECT_GE(run.results.size(), 3u);
        for (const EvaluationResult& result : run.results) {
            EXPECT_NEAR(*result.perplexity, 256, 1e-4);
            EXPECT_NEAR(*result.bits_per_byte, 8, 1e-6);
            const bool is_paired = run.protocol.kind == ProtocolKind::same_target;
            EXPECT_EQ(result.gain.value_or(0), 0);
            EXPECT_EQ(result.gain.has_value(), is_paired);
            if (is_paired || result.bin) continue;
            EXPECT_EQ(result.tokens, 999) << text_of(run.protocol) << " " << result.length;
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
        evaluate_bytes(model, text.split, plan_of({16, 32, 64}, {{ProtocolKind::same_target}})).runs[0];
    EXPECT_GT(*run.results[0].nats_per_token, 5.6);
    for (const EvaluationResult& result : run.results) EXPECT_NEAR(*result.gain, 0, 1e-5);
}

TEST(Evaluate, theNumberOfThreadsChangesNoBit) {
    const RandomText text({300, 77, 150, 2, 40});
    Transformer model = make_model("t5");
    sharpen(model);
    std::vector<Protocol> protocols;
    for (const ProtocolKind kind : all_kinds) protocols.push_back({kind});
    const EvaluationPlan plan = plan_of({8, 16, 64}, protocols);
    const EvaluationReport one = evaluate_bytes(model, text.split, plan, 1);
    const EvaluationReport four = evaluate_bytes(model, text.split, plan, 4);
    EXPECT_EQ(to_json(one).dump(), to_json(four).dump());
    ASSERT_EQ(one.runs.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(one.runs[i].losses.nats, four.runs[i].losses.nats);
}

TEST(Evaluate, aTableIsNeverReadBeyondItsEnd) {
    const RandomText text({300, 100});
    std::vector<Protocol> protocols;
    for (const ProtocolKind kind : all_kinds) protocols.push_back({kind});
    const EvaluationPlan plan = plan_of({16, 32}, protocols);
    const EvaluationReport learned = evaluate_bytes(make_model("learned", 16), text.split, plan);
    const EvaluationReport rope = evaluate_bytes(make_model("rope", 16), text.split, plan);
    for (std::size_t r = 0; r < learned.runs.size(); ++r) {
        const ProtocolRun& run = learned.runs[r];
        EXPECT_EQ(run.losses.index, rope.runs[r].losses.index);  // the same tokens for every arm
        for (const EvaluationResult& result : run.results) {
            const Index needed = result.bin ? (*result.bin)[1] : result.length;
            EXPECT_EQ(result.state, needed <= 16 ? ResultState::ok : ResultState::beyond_table);
            EXPECT_EQ(result.nats_per_token.has_value(), needed <= 16);
            EXPECT_EQ(result.gain.has_value(),
                      needed <= 16 && run.protocol.kind == ProtocolKind::same_target);
        }
    }
    const auto row = to_json(learned)["runs"][0]["results"][1];
    EXPECT_EQ(row["state"], "beyond_table");
    EXPECT_EQ(row["length"], 32);
    for (const char* key : {"nats_per_token", "bits_per_byte", "perplexity", "interval"})
        EXPECT_TRUE(row[key].is_null()) << key;
}

TEST(Evaluate, aLossThatIsNotFiniteIsMarked) {
    const RandomText text({100, 100});
    Transformer model = make_model("rope");
    scale_parameters(model, "final_norm.weight", std::numeric_limits<Scalar>::quiet_NaN());
    std::vector<Protocol> protocols;
    for (const ProtocolKind kind : all_kinds) protocols.push_back({kind});
    const EvaluationReport report = evaluate_bytes(model, text.split, plan_of({16, 32}, protocols));
    const nlohmann::json json = to_json(report);
    ASSERT_EQ(json["runs"].size(), 4u);
    for (const auto& run : json["runs"]) {
        EXPECT_GE(run["results"].size(), 2u);
        for (const auto& row : run["results"]) {
            EXPECT_EQ(row["state"], "diverged");
            EXPECT_TRUE(row["nats_per_token"].is_null());
            EXPECT_TRUE(row["interval"].is_null());
        }
    }
}

TEST(Evaluate, textThatIsTooShortIsAState) {
    const RandomText short_text({20, 5}), tiny({1, 1}), nothing({});
    const Transformer model = make_model("rope");
    std::vector<Protocol> protocols;
    for (const ProtocolKind kind : all_kinds) protocols.push_back({kind});
    const EvaluationPlan plan = plan_of({16, 64}, protocols);
    for (const RandomText* text : {&short_text, &tiny, &nothing}) {
        const EvaluationReport report = evaluate_bytes(model, text->split, plan);
        ASSERT_EQ(report.runs.size(), 4u);
        for (const ProtocolRun& run : report.runs) {
            EXPECT_GE(run.results.size(), 2u);
            const bool any_length = run.protocol.kind == ProtocolKind::non_overlapping ||
                                    run.protocol.kind == ProtocolKind::sliding;
            const bool has_tokens = text == &short_text && any_length;
            for (const EvaluationResult& result : run.results) {
                EXPECT_EQ(result.state, has_tokens ? ResultState::ok : ResultState::too_short);
                EXPECT_EQ(result.tokens, has_tokens ? 23 : 0);
                EXPECT_EQ(result.reason.empty(), has_tokens);
            }
        }
    }
}

TEST(Evaluate, namesItsRules) {
    const RandomText text({100, 1});
    const auto report =
        evaluate_bytes(make_model("nope"), text.split,
                       plan_of({32, 64}, {{ProtocolKind::sliding}, {ProtocolKind::same_target}}));
    const auto json = nlohmann::json::parse(to_json(report).dump());
    const auto& sliding = json["runs"][0];
    EXPECT_EQ(sliding["protocol"], "sliding");
    EXPECT_EQ(sliding["split"], "valid");
    EXPECT_EQ(sliding["unit"], "byte");
    EXPECT_EQ(sliding["bos"], "none");
    EXPECT_EQ(sliding["tail"], "scored");
    EXPECT_EQ(sliding["documents"], 2);
    EXPECT_EQ(sliding["results"][1]["stride"], 8);
    const auto& paired = json["runs"][1];
    EXPECT_EQ(paired["baseline_context"], 32);  // 16 is not among the contexts
    EXPECT_EQ(paired["results"][0]["context"], 32);
    EXPECT_EQ(paired["results"][0]["tokens"], 36);
    EXPECT_EQ(paired["notes"].size(), 2u);
}

TEST(Evaluate, drawsDocumentsOrBlocksOfAStream) {
    const RandomText many({500, 500, 500}), one({10000});
    const Transformer model = make_model("nope");
    const auto method = [&](const RandomText& text, bool contiguous) {
        EvaluationPlan plan = plan_of({64}, {{ProtocolKind::non_overlapping}});
        plan.contiguous = contiguous;
        return evaluate_bytes(model, text.split, plan).runs[0].interval_method;
    };
    EXPECT_EQ(method(many, false), "95 % percentile bootstrap, 1000 replicates over 3 documents");
    EXPECT_EQ(method(one, false), "95 % percentile bootstrap, 1000 replicates over 3 blocks of 4096 tokens");
    EXPECT_EQ(method(one, true), method(one, false));
}

TEST(Evaluate, reportsProgressToTheEndAndCanBeStopped) {
    const RandomText text({500, 300});
    const Transformer model = make_model("rope");
    const EvaluationPlan plan = plan_of({16, 32}, {{ProtocolKind::sliding}, {ProtocolKind::same_target}});
    Workers workers(2);
    const auto tokenizer = make_tokenizer("byte");
    Index last = 0, all = 0;
    evaluate(model, text.split, plan, *tokenizer, workers, [&](Index done, Index total) {
        EXPECT_GT(done, last);
        last = done;
        all = total;
    });
    EXPECT_EQ(last, all);
    EXPECT_GT(all, 0);
    EXPECT_THROW(evaluate(model, text.split, plan, *tokenizer, workers,
                          [](Index, Index) { fail(Failure::interrupted, "stopped"); }),
                 Error);
}

TEST(Evaluate, refusesPlansThatMakeNoSense) {
    EXPECT_THROW(checked(plan_of({}, {{ProtocolKind::non_overlapping}})), Error);
    EXPECT_THROW(checked(plan_of({16}, {})), Error);
    EXPECT_THROW(checked(plan_of({0, 16}, {{ProtocolKind::non_overlapping}})), Error);
    EXPECT_THROW(checked(plan_of({16}, {{ProtocolKind::sliding, 17}})), Error);
    const EvaluationPlan plan =
        checked(plan_of({64, 16, 64}, {{ProtocolKind::sliding}, {ProtocolKind::sliding}}));
    EXPECT_EQ(plan.lengths, (std::vector<Index>{16, 64}));
    EXPECT_EQ(plan.protocols.size(), 1u);
}

// Drawn by the window alone: the same on any number of workers and in any company, and not the plain loss.
TEST(Evaluate, drawsRandomizedPositionsByTheWindow) {
    const RandomText text({300, 90});
    Transformer model = make_model("rope");
    sharpen(model);
    EvaluationPlan plan = plan_of({16, 32}, {{ProtocolKind::non_overlapping}, {ProtocolKind::same_target}});
    const auto plain = evaluate_bytes(model, text.split, plan);
    plan.positions = {PositionKind::randomized, 64, 2};
    const auto drawn = evaluate_bytes(model, text.split, plan);
    EXPECT_EQ(drawn.runs[0].losses.nats, evaluate_bytes(model, text.split, plan, 3).runs[0].losses.nats);
    EXPECT_NE(drawn.runs[0].losses.nats, plain.runs[0].losses.nats);
    EXPECT_NE(drawn.runs[0].notes.back().find("0 to 63"), std::string::npos);
    EvaluationPlan alone = plan;
    alone.lengths = {32};
    EXPECT_EQ(evaluate_bytes(model, text.split, alone).runs[0].losses.nats[0], drawn.runs[0].losses.nats[1]);
    plan.positions.max_position = 32;  // as many as there are: they are consecutive
    const std::vector<double> full = evaluate_bytes(model, text.split, plan).runs[0].losses.nats[1],
                              usual = plain.runs[0].losses.nats[1];
    EXPECT_TRUE(std::equal(full.begin(), full.begin() + 9 * 32, usual.begin()));  // the full windows
    plan.positions.max_position = 31;
    EXPECT_THROW(checked(plan), Error);
    for (const PositionKind kind : {PositionKind::packed, PositionKind::pose}) {
        plan.positions = {kind, 64, 2};
        EXPECT_EQ(evaluate_bytes(model, text.split, plan).runs[0].losses.nats, plain.runs[0].losses.nats);
    }
}

TEST(SplitLoss, isTheNonOverlappingLoss) {
    const RandomText text({100, 30, 1});
    Transformer model = make_model("rope");
    sharpen(model);
    Workers workers(1);
    const TokenSum sum = split_loss(model, text.split, 16, workers);
    const auto run =
        evaluate_bytes(model, text.split, plan_of({16}, {{ProtocolKind::non_overlapping}})).runs[0];
    EXPECT_EQ(sum.tokens, 128);
    EXPECT_EQ(sum.mean(), *run.results[0].nats_per_token);
}

}  // namespace
}  // namespace locus
