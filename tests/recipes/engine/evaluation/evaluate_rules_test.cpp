// What an evaluation says of itself: states, rules, refusals, and what may not change a bit of it.
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "recipes/engine/evaluation/evaluate.h"
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

TEST(Evaluate, theNumberOfThreadsChangesNoBit) {
    const RandomText text({300, 77, 150, 2, 40});
    Transformer model = make_model("t5");
    sharpen(model);
    std::vector<Protocol> protocols;
    for (const char* kind : all_kinds) protocols.push_back({kind});
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
    for (const char* kind : all_kinds) protocols.push_back({kind});
    const EvaluationPlan plan = plan_of({16, 32}, protocols);
    const EvaluationReport learned = evaluate_bytes(make_model("learned", 16), text.split, plan);
    const EvaluationReport rope = evaluate_bytes(make_model("rope", 16), text.split, plan);
    for (std::size_t r = 0; r < learned.runs.size(); ++r) {
        const ProtocolRun& run = learned.runs[r];
        EXPECT_EQ(run.losses.index, rope.runs[r].losses.index);  // the same tokens for every arm
        if (run.protocol == "same_target") {
            EXPECT_EQ(run.fact("effective_context_none_beyond"), 16);
        }
        for (const Record& result : run.records) {
            const Index needed =
                result.coordinates.contains("bin") ? test::bin_of(result)[1] : test::length_of(run, result);
            EXPECT_EQ(result.state, needed <= 16 ? RecordState::ok : RecordState::beyond_table);
            EXPECT_EQ(result.value("nats_per_token").has_value(), needed <= 16);
            EXPECT_EQ(result.value("gain").has_value(), needed <= 16 && run.protocol == "same_target");
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
    for (const char* kind : all_kinds) protocols.push_back({kind});
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
    for (const char* kind : all_kinds) protocols.push_back({kind});
    const EvaluationPlan plan = plan_of({16, 64}, protocols);
    for (const RandomText* text : {&short_text, &tiny, &nothing}) {
        const EvaluationReport report = evaluate_bytes(model, text->split, plan);
        ASSERT_EQ(report.runs.size(), 4u);
        for (const ProtocolRun& run : report.runs) {
            EXPECT_GE(run.records.size(), 2u);
            const bool any_length = run.protocol == "non_overlapping" || run.protocol == "sliding";
            for (const Record& result : run.records) {
                const bool has_tokens =
                    text == &short_text && any_length && test::length_of(run, result) == 16;
                EXPECT_EQ(result.details.at("full_windows") > 0, has_tokens);
                EXPECT_EQ(result.state, has_tokens ? RecordState::ok : RecordState::too_short);
                EXPECT_EQ(result.count, has_tokens ? 23 : 0);
                EXPECT_EQ(result.reason.empty(), has_tokens);
            }
        }
    }
}

// A number stands under a length only where windows of that length were scored.
TEST(Evaluate, aLengthNeedsAWholeWindow) {
    const RandomText text({420, 60, 33});
    const Transformer model = make_model("rope");
    const std::vector<Protocol> protocols = {{"non_overlapping"}, {"sliding"}};
    const auto report =
        evaluate_bytes(model, text.split, plan_of({16, 32, 419, 420, 4096, 99999999999}, protocols));
    for (const ProtocolRun& run : report.runs) {
        for (const Record& result : run.records) {
            const bool whole = test::length_of(run, result) <= 419;
            EXPECT_EQ(result.state, whole ? RecordState::ok : RecordState::too_short)
                << test::length_of(run, result);
            EXPECT_EQ(result.value("nats_per_token").has_value(), whole);
            EXPECT_EQ(result.details.at("full_windows") > 0, whole);
            EXPECT_EQ(result.reason.find("the longest window of split valid has 419") != std::string::npos,
                      !whole)
                << result.reason;
        }
        EXPECT_EQ(run.records[2].details.at("full_windows"), 1);
    }
    EXPECT_EQ(report.runs[0].records[1].details.at("full_windows"), 13 + 1 + 1);
    EXPECT_EQ(to_json(report)["runs"][0]["results"][1]["full_windows"], 15);
    // At 419 one window of 419 of 510 tokens is full; at 16 nearly all are.
    EXPECT_EQ(report.runs[0].notes.size(), 0u);
    const auto few = evaluate_bytes(model, text.split, plan_of({59}, {{"non_overlapping"}}));
    EXPECT_EQ(few.runs[0].records[0].details.at("full_windows"), 7 + 1);
}

TEST(Evaluate, namesItsRules) {
    const RandomText text({100, 1});
    const auto report =
        evaluate_bytes(make_model("nope"), text.split, plan_of({32, 64}, {{"sliding"}, {"same_target"}}));
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
        EvaluationPlan plan = plan_of({64}, {{"non_overlapping"}});
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
    const EvaluationPlan plan = plan_of({16, 32}, {{"sliding"}, {"same_target"}});
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
    EXPECT_THROW(checked(plan_of({}, {{"non_overlapping"}})), Error);
    EXPECT_THROW(checked(plan_of({16}, {})), Error);
    EXPECT_THROW(checked(plan_of({0, 16}, {{"non_overlapping"}})), Error);
    EXPECT_THROW(checked(plan_of({16}, {{"sliding", 17}})), Error);
    const EvaluationPlan plan = checked(plan_of({64, 16, 64}, {{"sliding"}, {"sliding"}}));
    EXPECT_EQ(plan.lengths, (std::vector<Index>{16, 64}));
    EXPECT_EQ(plan.protocols.size(), 1u);
}

// Drawn by the window alone: the same on any number of workers and in any company, and not the plain loss.
TEST(Evaluate, drawsRandomizedPositionsByTheWindow) {
    const RandomText text({300, 90});
    Transformer model = make_model("rope");
    sharpen(model);
    EvaluationPlan plan = plan_of({16, 32}, {{"non_overlapping"}, {"same_target"}});
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

}  // namespace
}  // namespace locus
