#include "recipes/engine/measure/record.h"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "framework/core/error.h"
#include "framework/io/json_file.h"
#include "recipes/engine/measure/metric.h"
#include "recipes/engine/measure/policy.h"

namespace locus {

namespace {

using nlohmann::json;

constexpr std::array state_names = {"ok", "beyond_table", "diverged", "too_short"};

// The fields of an evaluation and of a result that are no facts and no coordinates, metrics or counts.
const std::set<std::string> header = {"protocol",  "split", "axis",      "primary",
                                      "unit",      "text",  "bos",       "tail",
                                      "weighting", "notes", "documents", "documents_too_short",
                                      "results",   "file",  "checksum",  "items_hash",
                                      "metrics",   "axes",  "details",   "interval_method"};

json number(const std::optional<double>& value) {
    return value && std::isfinite(*value) ? json(*value) : json();
}

json pair(const std::optional<Interval>& interval) {
    return interval ? json{interval->low, interval->high} : json();
}

json to_json(const Record& record, const Evaluation& evaluation) {
    json row;
    for (const auto& [axis, place] : record.coordinates)
        std::visit([&](const auto& at) { row[axis] = at; }, place);
    json intervals = json::object();
    for (const auto& [name, measured] : record.metrics) {
        row[name] = number(measured.value);
        if (measured.interval) intervals[name] = pair(measured.interval);
    }
    row["tokens"] = record.count ? json(*record.count) : json();
    for (const auto& [name, count] : record.details) row[name] = count;
    row["interval"] = pair(record.interval(evaluation.primary));
    row["interval_of"] = evaluation.primary;
    row["interval_method"] = evaluation.interval_method;
    row["intervals"] = intervals;
    row["state"] = to_string(record.state);
    if (!record.reason.empty()) row["reason"] = record.reason;
    return row;
}

std::string text(const json& object, const std::string& name) {
    const auto place = object.find(name);
    if (place == object.end() || place->is_null()) return "";
    return place->is_string() ? place->get<std::string>() : place->dump();
}

std::optional<Index> count(const json& object, const std::string& name) {
    const auto place = object.find(name);
    if (place == object.end() || place->is_null()) return std::nullopt;
    return place->get<Index>();
}

std::optional<double> finite(const json& value) {
    if (value.is_null()) return std::nullopt;
    const double found = value.get<double>();
    return std::isfinite(found) ? std::optional(found) : std::nullopt;
}

Interval interval_of(const json& value) {
    return {value.at(0).get<double>(), value.at(1).get<double>()};
}

// Words are places only where an evaluation names its axes.
AxisPlace axis_place(const json& value, bool words) {
    if (value.is_array()) return std::array{value.at(0).get<Index>(), value.at(1).get<Index>()};
    if (words && value.is_string()) return value.get<std::string>();
    return value.get<Index>();
}

RecordState state_of(const std::string& name) {
    if (name.empty() || name == "done") return RecordState::ok;
    for (std::size_t i = 0; i < state_names.size(); ++i)
        if (name == state_names[i]) return static_cast<RecordState>(i);
    fail(Failure::storage, "a result has the state '{}', which is not known", name);
}

/// What the keys of results are: an evaluation says it; for one that does not, whatever is registered.
struct Shape {
    std::set<std::string> axes, metrics;
    bool said = false;

    explicit Shape(const json& evaluation) {
        for (const std::string& name : ProtocolRegistry::instance().names())
            axes.insert(ProtocolRegistry::instance().at(name)->axis());
        said = evaluation.contains("axes");
        for (const std::string& name : MetricRegistry::instance().names()) metrics.insert(name);
        for (const auto& [field, names] : {std::pair{"axes", &axes}, std::pair{"metrics", &metrics}})
            if (const auto given = evaluation.find(field); given != evaluation.end())
                *names = given->get<std::set<std::string>>();
    }
};

void read_intervals(const json& row, Record& record) {
    const std::string of = text(row, "interval_of");
    const auto read = [&](const std::string& field, const std::string& metric) {
        const auto place = row.find(field);
        if (place != row.end() && !place->is_null() && record.metrics.contains(metric))
            record.metrics[metric].interval = interval_of(*place);
    };
    read("interval", of.empty() ? loss_metric : of);
    read("nats_interval", loss_metric);
    if (const auto all = row.find("intervals"); all != row.end())
        for (const auto& [metric, interval] : all->items())
            record.metrics[metric].interval = interval_of(interval);
}

Record record_of(const json& row, const Shape& shape, const std::set<std::string>& details) {
    Record record;
    for (const auto& [name, value] : row.items()) {
        if (shape.axes.contains(name) && !value.is_null())
            record.coordinates[name] = axis_place(value, shape.said);
        if (shape.metrics.contains(name)) record.metrics[name].value = finite(value);
        if (details.contains(name) && value.is_number_integer()) record.details[name] = value.get<Index>();
    }
    record.count = count(row, "tokens");
    read_intervals(row, record);
    record.state = state_of(text(row, "state"));
    record.reason = text(row, "reason");
    return record;
}

}  // namespace

const char* to_string(RecordState state) {
    return state_names[static_cast<std::size_t>(state)];
}

std::string text_of(const AxisPlace& value) {
    if (const auto* range = std::get_if<std::array<Index, 2>>(&value))
        return fmt::format("[{}, {})", (*range)[0], (*range)[1]);
    if (const auto* number = std::get_if<Index>(&value)) return fmt::format("{}", *number);
    return std::get<std::string>(value);
}

std::optional<double> Record::value(const std::string& metric) const {
    const auto place = metrics.find(metric);
    return place == metrics.end() ? std::nullopt : place->second.value;
}

std::optional<Interval> Record::interval(const std::string& metric) const {
    const auto place = metrics.find(metric);
    return place == metrics.end() ? std::nullopt : place->second.interval;
}

std::optional<Index> Evaluation::fact(const std::string& name) const {
    const auto place = facts.find(name);
    return place == facts.end() ? std::nullopt : place->second;
}

std::optional<AxisPlace> Evaluation::place(const Record& record, const std::string& name) const {
    auto at = record.coordinates.find(name);
    if (at == record.coordinates.end() && name == "length") at = record.coordinates.find(axis);
    if (at == record.coordinates.end()) return std::nullopt;
    return at->second;
}

json to_json(const Evaluation& evaluation) {
    std::set<std::string> axes, metrics, details;
    for (const Record& record : evaluation.records) {
        for (const auto& [axis, place] : record.coordinates) axes.insert(axis);
        for (const auto& [name, measured] : record.metrics) metrics.insert(name);
        for (const auto& [name, number] : record.details) details.insert(name);
    }
    json out = {{"protocol", evaluation.protocol},
                {"split", evaluation.split},
                {"axis", evaluation.axis},
                {"axes", axes},
                {"metrics", metrics},
                {"details", details},
                {"primary", evaluation.primary},
                {"unit", evaluation.unit},
                {"text", evaluation.text},
                {"bos", evaluation.bos},
                {"tail", evaluation.tail},
                {"weighting", "tokens"},
                {"items_hash", evaluation.items_hash},
                {"interval_method", evaluation.interval_method},
                {"notes", evaluation.notes},
                {"results", json::array()}};
    out["documents"] = evaluation.documents ? json(*evaluation.documents) : json();
    out["documents_too_short"] =
        evaluation.documents_too_short ? json(*evaluation.documents_too_short) : json();
    for (const auto& [name, fact] : evaluation.facts) out[name] = fact ? json(*fact) : json();
    if (!evaluation.file.empty()) out["file"] = evaluation.file;
    for (const Record& record : evaluation.records) out["results"].push_back(to_json(record, evaluation));
    return out;
}

namespace {

Evaluation read_evaluation(const json& object) {
    Evaluation evaluation;
    evaluation.protocol = object.at("protocol").get<std::string>();
    for (const auto& [name, member] :
         {std::pair{"split", &Evaluation::split}, std::pair{"axis", &Evaluation::axis},
          std::pair{"primary", &Evaluation::primary}, std::pair{"unit", &Evaluation::unit},
          std::pair{"text", &Evaluation::text}, std::pair{"bos", &Evaluation::bos},
          std::pair{"tail", &Evaluation::tail}, std::pair{"interval_method", &Evaluation::interval_method},
          std::pair{"items_hash", &Evaluation::items_hash}, std::pair{"file", &Evaluation::file}})
        evaluation.*member = text(object, name);
    evaluation.documents = count(object, "documents");
    evaluation.documents_too_short = count(object, "documents_too_short");
    for (const auto& [name, value] : object.items())
        if (!header.contains(name) && (value.is_null() || value.is_number_integer()))
            evaluation.facts[name] = count(object, name);
    if (const auto notes = object.find("notes"); notes != object.end())
        for (const json& note : *notes)
            evaluation.notes.push_back(note.is_string() ? note.get<std::string>() : note.dump());
    const Shape shape(object);
    const auto details = object.value("details", std::set<std::string>{"full_windows", "stride"});
    for (const json& row : object.at("results")) evaluation.records.push_back(record_of(row, shape, details));
    if (evaluation.axis.empty() && !evaluation.records.empty() &&
        !evaluation.records.front().coordinates.empty())
        evaluation.axis = evaluation.records.front().coordinates.begin()->first;
    if (evaluation.interval_method.empty() && !object.at("results").empty())
        evaluation.interval_method = text(object.at("results").front(), "interval_method");
    return evaluation;
}

}  // namespace

Evaluation evaluation_of(const json& object, const std::string& place) {
    try {
        return read_evaluation(object);
    } catch (const json::exception& error) {
        fail(Failure::storage, "{}: expected an evaluation {{protocol, split, results[]}}: {}", place,
             reason_of(error));
    } catch (const Error& error) {
        fail(Failure::storage, "{}: {}", place, error.what());
    }
}

}  // namespace locus
