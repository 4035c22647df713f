// Records as they are written and read, and what every registered protocol and metric must say of itself.
#include "recipes/engine/measure/record.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "framework/io/json_file.h"
#include "recipes/engine/measure/contradictions.h"
#include "recipes/engine/measure/metric.h"
#include "recipes/engine/measure/policy.h"

namespace locus {
namespace {

Evaluation paired() {
    Evaluation evaluation;
    evaluation.protocol = "same_target";
    evaluation.split = "valid";
    evaluation.axis = "context";
    evaluation.primary = "gain";
    evaluation.unit = "byte";
    evaluation.documents = 7;
    evaluation.interval_method = "by hand";
    evaluation.facts = {{"baseline_context", 64}, {"effective_context", std::nullopt}};
    for (const auto& [context, nats] : {std::pair<Index, double>{64, 2.0}, {128, 1.5}}) {
        Record& record = evaluation.records.emplace_back();
        record.coordinates["context"] = context;
        record.metrics["nats_per_token"] = {nats, Interval{nats - 0.1, nats + 0.1}};
        record.metrics["bits_per_byte"].value = nats / std::log(2.0);
        record.metrics["perplexity"].value = std::exp(nats);
        record.metrics["gain"] = {2.0 - nats, Interval{0, 0.6}};
        record.count = 100;
        record.details["full_windows"] = 100;
    }
    Record& beyond = evaluation.records.emplace_back();
    beyond.coordinates["context"] = Index{256};
    beyond.metrics["nats_per_token"];
    beyond.count = 0;
    beyond.state = RecordState::beyond_table;
    beyond.reason = "the table ends";
    return evaluation;
}

TEST(Record, IsReadAsItWasWritten) {
    const nlohmann::json written = to_json(paired());
    EXPECT_EQ(to_json(evaluation_of(nlohmann::json::parse(written.dump()))), written);
    const Evaluation read = evaluation_of(written);
    EXPECT_EQ(read.records[1].value("gain"), 0.5);
    EXPECT_EQ(read.records[1].interval("nats_per_token")->low, 1.4);
    EXPECT_EQ(read.fact("baseline_context"), 64);
    EXPECT_EQ(text_of(*read.place(read.records[2], "length")), "256");  // its own axis stands for it
    EXPECT_EQ(read.records[2].reason, "the table ends");
    EXPECT_FALSE(read.records[2].value("nats_per_token"));
    EXPECT_EQ(written["results"][0]["interval_of"], "gain");
}

// Axes and metrics that no protocol of today has.
TEST(Record, TakesAnyCoordinatesAndMetrics) {
    Evaluation evaluation = paired();
    evaluation.protocol = "needle";
    for (Record& record : evaluation.records) {
        record.coordinates["depth"] = std::array<Index, 2>{10, 20};
        record.coordinates["evidence"] = "reverse";
        record.metrics["accuracy"].value = 0.25;
        record.details["distractors"] = 3;
    }
    const Evaluation read = evaluation_of(to_json(evaluation));
    EXPECT_EQ(text_of(read.records[0].coordinates.at("depth")), "[10, 20)");
    EXPECT_EQ(text_of(read.records[0].coordinates.at("evidence")), "reverse");
    EXPECT_EQ(read.records[0].value("accuracy"), 0.25);
    EXPECT_EQ(read.records[0].details.at("distractors"), 3);
    EXPECT_TRUE(contradictions(to_json(evaluation), read).empty());
}

TEST(Record, OlderFilesAreUnderstood) {
    const auto object = nlohmann::json::parse(
        R"({"protocol": "same_target", "split": "valid", "results": [{"context": 64, "nats_per_token": 2.0,
            "gain": 0.0, "tokens": 9, "interval": [-0.1, 0.1], "interval_of": "gain",
            "nats_interval": [1.9, 2.1], "interval_method": "m", "state": "ok"}]})");
    const Evaluation read = evaluation_of(object);
    EXPECT_EQ(read.axis, "context");
    EXPECT_EQ(read.records[0].interval("gain")->high, 0.1);
    EXPECT_EQ(read.records[0].interval("nats_per_token")->low, 1.9);
    EXPECT_EQ(read.interval_method, "m");
}

TEST(Contradictions, AreFoundInEachNumber) {
    const nlohmann::json sound = to_json(paired());
    EXPECT_TRUE(contradictions(sound, evaluation_of(sound)).empty());
    for (const char* metric : {"nats_per_token", "bits_per_byte", "perplexity", "gain"}) {
        nlohmann::json changed = sound;
        changed["results"][1][metric] = changed["results"][1][metric].get<double>() * 1.0001;
        EXPECT_FALSE(contradictions(changed, evaluation_of(changed)).empty()) << metric;
    }
    nlohmann::json sealed = sound;
    sealed["checksum"] = content_checksum(sealed);
    EXPECT_TRUE(contradictions(sealed, evaluation_of(sealed)).empty());
    sealed["results"][1]["tokens"] = 101;
    EXPECT_FALSE(contradictions(sealed, evaluation_of(sealed)).empty());
}

TEST(Registry, EveryProtocolSaysWhatItIs) {
    for (const std::string& name : ProtocolRegistry::instance().names()) {
        const ProtocolPolicy& policy = policy_of(name);
        EXPECT_FALSE(policy.doc().empty()) << name;
        EXPECT_FALSE(policy.definition(name, {}).empty()) << name;
        EXPECT_FALSE(policy.figure(name).title.empty() || policy.figure(name).kind.empty()) << name;
        const std::vector<std::string> axes = policy.axes();
        EXPECT_EQ(std::count(axes.begin(), axes.end(), policy.axis()), 1) << name;
        for (const std::string& metric : policy.metrics())
            EXPECT_TRUE(MetricRegistry::instance().contains(metric)) << name << " " << metric;
        EXPECT_EQ(text_of(parse_protocol(name)), name);
        const bool takes = !policy.argument().empty();
        if (takes) {
            EXPECT_EQ(parse_protocol(name + ":16").argument, 16);
        }
        for (const std::string wrong : {":", ":0", ":-1", ":x", ":1e3", ":99999999999999999999"})
            EXPECT_THROW(parse_protocol(name + wrong), Error) << name << wrong;
        if (!takes) {
            EXPECT_THROW(parse_protocol(name + ":16"), Error);
        }
    }
}

TEST(Registry, EveryMetricFollowsFromTheLossWhereItSaysSo) {
    for (const std::string& name : MetricRegistry::instance().names()) {
        const Metric& metric = MetricRegistry::instance().at(name);
        EXPECT_FALSE(metric.unit.empty() || metric.definition.empty()) << name;
        if (metric.from_nats == nullptr) continue;
        ASSERT_NE(metric.of_losses, nullptr) << name;
        // Of bytes: one byte per token.
        EXPECT_NEAR(*metric.of_losses({21.0, 10}, 10), *metric.from_nats(2.1, "byte"), 1e-12) << name;
    }
}

}  // namespace
}  // namespace locus
