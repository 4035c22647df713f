#include "recipes/engine/report/table_source.h"

#include <algorithm>

#include "framework/core/error.h"
#include "recipes/engine/config/value.h"
#include "recipes/engine/measure/metric.h"
#include "recipes/engine/measure/policy.h"
#include "recipes/engine/report/table_words.h"

namespace locus {

namespace {

std::string kind_of(const std::string& protocol) {
    return protocol.substr(0, protocol.find(':'));
}

TableOptions options_of(const RunFolder& run) {
    TableOptions options;
    const auto read = [&](const char* key, auto set) {
        const auto place = run.recipe.find(key);
        if (place != run.recipe.end() && !place->second.empty()) set(place->second);
    };
    read("table.rows", [&](const auto& texts) { options.rows = texts.front(); });
    read("table.columns", [&](const auto& texts) { options.columns = texts; });
    read("table.over", [&](const auto& texts) { options.over = texts.front(); });
    read("table.contrasts", [&](const auto& texts) { options.contrasts = texts; });
    read("table.primary_column", [&](const auto& texts) { options.primary_column = texts; });
    read("table.primary_contrasts", [&](const auto& texts) { options.primary_contrasts = texts; });
    read("table.cell", [&](const auto& texts) {
        require(MetricRegistry::instance().contains(texts.front()), Failure::storage,
                "{}/recipe.yaml: table.cell: '{}' is not a metric", run.name, texts.front());
        options.cell = texts.front();
    });
    return options;
}

// Whether a protocol measures what the table shows. Of another program's protocol, its records tell.
bool measures(const Evaluation& evaluation, const std::string& metric) {
    if (const ProtocolPolicy* policy = find_policy(evaluation.protocol)) {
        return contains(policy->metrics(), metric);
    }
    return std::any_of(evaluation.records.begin(), evaluation.records.end(),
                       [&](const Record& record) { return record.metrics.contains(metric); });
}

// Whether its records have a place on every axis of results that the recipe itself lays out.
bool has_axes(const Evaluation& evaluation, const std::vector<std::string>& axes) {
    return std::all_of(axes.begin(), axes.end(), [&](const std::string& axis) {
        return std::any_of(evaluation.records.begin(), evaluation.records.end(), [&](const Record& record) {
            return TableSource::place(evaluation, record, axis).has_value();
        });
    });
}

// The axes of rows and columns that are none of the cells.
std::vector<std::string> axes_of_results(const TableSource& source) {
    std::vector<std::string> axes = source.options.columns;
    axes.push_back(source.options.rows);
    std::erase_if(axes, [&](const std::string& axis) { return !source.is_record_axis(axis); });
    return axes;
}

// In the recipe's order; `sliding` of a recipe may be recorded with the stride that it took. What is a figure
// becomes a table only where nothing else was measured.
std::vector<std::string> protocols_of(const TableSource& source) {
    std::vector<std::string> found;
    const std::vector<std::string> axes = axes_of_results(source);
    for (const RunFolder& run : source.runs)
        for (const Evaluation& evaluation : run.evaluations)
            if (evaluation.split == source.split && measures(evaluation, source.options.cell) &&
                (evaluation.records.empty() || has_axes(evaluation, axes)))
                add_once(found, evaluation.protocol);
    const auto place = source.runs.front().recipe.find("evaluate.protocols");
    const auto asked = place == source.runs.front().recipe.end() ? std::vector<std::string>{} : place->second;
    const auto rank = [&](const std::string& protocol) {
        auto at = std::find(asked.begin(), asked.end(), protocol);
        if (at == asked.end()) at = std::find(asked.begin(), asked.end(), kind_of(protocol));
        return at - asked.begin();
    };
    std::stable_sort(found.begin(), found.end(),
                     [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
    const auto is_figure = [](const auto& protocol) {
        const ProtocolPolicy* policy = find_policy(protocol);
        return policy != nullptr && !policy->is_table();
    };
    if (!std::all_of(found.begin(), found.end(), is_figure)) std::erase_if(found, is_figure);
    return found;
}

std::set<std::string> record_axes_of(const std::vector<RunFolder>& runs) {
    std::set<std::string> axes = {"protocol", "length"};
    for (const RunFolder& run : runs)
        for (const Evaluation& evaluation : run.evaluations)
            for (const Record& record : evaluation.records)
                for (const auto& [axis, value] : record.coordinates) axes.insert(axis);
    for (const Coordinate& at : runs.front().cell) axes.erase(at.axis);
    return axes;
}

std::string split_of(const std::vector<RunFolder>& runs) {
    const std::string asked = runs.front().value("evaluate.split");
    std::vector<std::string> found;
    for (const RunFolder& run : runs)
        for (const Evaluation& evaluation : run.evaluations) add_once(found, evaluation.split);
    return contains(found, asked) || found.empty() ? asked : found.front();
}

}  // namespace

bool TableSource::shows(const Evaluation& evaluation) const {
    return evaluation.split == split && contains(protocols, evaluation.protocol);
}

std::optional<std::string> TableSource::place(const Evaluation& evaluation, const Record& record,
                                              const std::string& axis) {
    if (axis == "protocol") return evaluation.protocol;
    const auto value = evaluation.place(record, axis);
    if (!value) return std::nullopt;
    return text_of(*value);
}

const Record* TableSource::record(const RunFolder& run, const Place& wanted) const {
    const Record* found = nullptr;
    for_each_record(run, [&](const Evaluation& evaluation, const Record& candidate) {
        for (const auto& [axis, value] : wanted)
            if (is_record_axis(axis) && place(evaluation, candidate, axis) != value) return;
        found = &candidate;
    });
    return found;
}

std::string TableSource::arm_of(const RunFolder& run) const {
    std::string text;
    for (const Coordinate& at : run.cell)
        if (at.axis != options.over) text += (text.empty() ? "" : " ") + coordinate_text(at.axis, at.value);
    return text.empty() ? run.value("encoding.kind") : text;
}

std::optional<std::string> primary_value(const TableOptions& options, const std::string& axis) {
    auto value = options.primary_column.begin();
    for (const std::string& column : options.columns) {
        if (column == "arm") continue;
        if (value == options.primary_column.end()) break;
        if (column == axis) return *value;
        ++value;
    }
    return std::nullopt;
}

TableSource make_source(RunFolders folders) {
    TableSource source;
    source.runs = std::move(folders.runs);
    source.left_out = std::move(folders.left_out);
    source.not_chosen = std::move(folders.not_chosen);
    source.options = options_of(source.runs.front());
    source.split = split_of(source.runs);
    source.record_axes = record_axes_of(source.runs);
    source.protocols = protocols_of(source);
    const bool repeated = source.runs.front().varies(source.options.over);
    for (const RunFolder& run : source.runs)
        add_once(source.over, repeated ? run.value(source.options.over) : "");
    std::sort(source.over.begin(), source.over.end(), natural_less);
    const auto trained = [](const RunFolder& run) {
        const auto root = integer_from(run.value("from.original_length"));
        return root ? root : integer_from(run.value("train.length"));
    };
    source.trained_length = trained(source.runs.front());
    for (const RunFolder& run : source.runs)
        if (trained(run) != trained(source.runs.front())) source.trained_length.reset();
    return source;
}

}  // namespace locus
