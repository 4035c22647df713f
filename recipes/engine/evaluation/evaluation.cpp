#include "recipes/engine/evaluation/evaluation.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace locus {

namespace {

using nlohmann::json;

json number(const std::optional<double>& value) {
    return value && std::isfinite(*value) ? json(*value) : json(nullptr);
}

json number(const std::optional<Index>& value) {
    return value ? json(*value) : json(nullptr);
}

json pair(const std::optional<Interval>& interval) {
    return interval ? json{interval->low, interval->high} : json(nullptr);
}

json to_json(const EvaluationResult& result, const ProtocolRun& run) {
    const bool is_paired = run.protocol.kind == ProtocolKind::same_target;
    json row;
    if (result.bin) {
        row["bin"] = *result.bin;
    } else {
        row[is_paired ? "context" : "length"] = result.length;
    }
    if (result.stride > 0) row["stride"] = result.stride;
    row["nats_per_token"] = number(result.nats_per_token);
    row["bits_per_byte"] = number(result.bits_per_byte);
    row["perplexity"] = number(result.perplexity);
    if (is_paired) row["gain"] = number(result.gain);
    row["tokens"] = result.tokens;
    row["full_windows"] = result.full_windows;
    row["interval"] = pair(is_paired ? result.gain_interval : result.interval);
    row["interval_of"] = is_paired ? "gain" : "nats_per_token";
    row["interval_method"] = run.interval_method;
    if (is_paired) row["nats_interval"] = pair(result.interval);
    row["state"] = to_string(result.state);
    if (!result.reason.empty()) row["reason"] = result.reason;
    return row;
}

json to_json(const ProtocolRun& run) {
    json out = {{"protocol", text_of(run.protocol)},
                {"split", run.split},
                {"unit", run.unit},
                {"text", run.text},
                {"bos", run.bos},
                {"tail", run.tail},
                {"weighting", "tokens"},
                {"documents", run.documents},
                {"documents_too_short", run.documents_too_short},
                {"notes", run.notes},
                {"results", json::array()}};
    if (run.protocol.kind == ProtocolKind::same_target) {
        out["eligible"] = number(run.eligible);
        out["baseline_context"] = number(run.baseline_context);
        out["effective_context"] = number(run.effective_context);
        out["effective_context_none_beyond"] = number(run.none_beyond);
    }
    if (run.protocol.kind == ProtocolKind::per_position && !run.losses.lengths.empty())
        out["length"] = run.losses.lengths.front();
    for (const EvaluationResult& result : run.results) out["results"].push_back(to_json(result, run));
    return out;
}

}  // namespace

const char* to_string(ResultState state) {
    constexpr std::array names = {"ok", "beyond_table", "diverged", "too_short"};
    return names[static_cast<std::size_t>(state)];
}

json to_json(const EvaluationReport& report) {
    json runs = json::array();
    for (const ProtocolRun& run : report.runs) runs.push_back(to_json(run));
    return {{"runs", runs}};
}

}  // namespace locus
