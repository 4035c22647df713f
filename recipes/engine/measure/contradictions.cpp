#include "recipes/engine/measure/contradictions.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "framework/io/json_file.h"
#include "recipes/engine/measure/metric.h"
#include "recipes/engine/measure/policy.h"

namespace locus {

namespace {

std::string place_of(const Evaluation& evaluation, const Record& record) {
    const auto place = record.coordinates.find(evaluation.axis);
    return fmt::format("{} at {} {}", evaluation.protocol, evaluation.axis,
                       place == record.coordinates.end() ? "?" : text_of(place->second));
}

// What follows from the loss, and has to be that.
std::vector<std::string> wrong_numbers(const Evaluation& evaluation, const Record& record) {
    std::vector<std::string> lines;
    const auto nats = record.value(loss_metric);
    for (const auto& [name, measured] : record.metrics) {
        if (!measured.value || !nats || !MetricRegistry::instance().contains(name)) continue;
        const auto from_nats = MetricRegistry::instance().at(name).from_nats;
        const auto expected = from_nats != nullptr ? from_nats(*nats, evaluation.unit) : std::nullopt;
        if (expected && !nearly_equal(*measured.value, *expected))
            lines.push_back(fmt::format("{} is {}, but of {} nats per token it would be {}", name,
                                        *measured.value, *nats, *expected));
    }
    return lines;
}

}  // namespace

bool nearly_equal(double found, double expected) {
    constexpr double rounding = 1e-9;  // of numbers that were worked out in another order
    if (!std::isfinite(expected)) return true;
    return std::abs(found - expected) <= rounding * std::max({1.0, std::abs(found), std::abs(expected)});
}

std::vector<std::string> contradictions(const nlohmann::json& object, const Evaluation& evaluation) {
    std::vector<std::string> lines;
    const auto sealed = object.find("checksum");
    if (sealed != object.end() && *sealed != content_checksum(object))
        lines.push_back(
            fmt::format("{}: was changed after it was written: its checksum is {}, that of its content {}",
                        evaluation.protocol, sealed->dump(), content_checksum(object)));
    const ProtocolPolicy* policy = find_policy(evaluation.protocol);
    for (const Record& record : evaluation.records) {
        std::vector<std::string> wrong = wrong_numbers(evaluation, record);
        if (record.state != RecordState::ok && record.value(loss_metric))
            wrong.push_back(fmt::format("state {} has a number", to_string(record.state)));
        const std::string own = policy != nullptr ? policy->contradiction(evaluation, record) : "";
        if (!own.empty()) wrong.push_back(own);
        for (const std::string& line : wrong) lines.push_back(place_of(evaluation, record) + ": " + line);
    }
    return lines;
}

}  // namespace locus
