#include "framework/core/error.h"
#include "recipes/engine/config/value.h"
#include "recipes/engine/report/run_folder.h"
#include "recipes/engine/report/table_format.h"
#include "recipes/engine/report/table_words.h"

namespace locus {

namespace {

using Fields = std::vector<std::string>;

std::string field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

std::string line(const Fields& fields) {
    std::string text;
    for (std::size_t i = 0; i < fields.size(); ++i) text += (i == 0 ? "" : ",") + field(fields[i]);
    return text + "\n";
}

std::string text_or_empty(const std::optional<double>& value) {
    return value ? text_of(*value) : "";
}

/// Mean, interval, values that are there, and places for values.
Fields numbers(const std::optional<double>& mean, const std::optional<Interval>& interval, std::size_t count,
               std::size_t places) {
    return {text_or_empty(mean), interval ? text_of(interval->low) : "",
            interval ? text_of(interval->high) : "", text_of(static_cast<Index>(count)),
            text_of(static_cast<Index>(places))};
}

// Empty where a run has no value, so that places stay those of the runs.
std::string values_of(const std::vector<std::optional<double>>& values) {
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i) text += (i == 0 ? "" : ";") + text_or_empty(values[i]);
    return text;
}

void append(Fields& fields, const Fields& more) {
    fields.insert(fields.end(), more.begin(), more.end());
}

Fields fields_of(const Table& table, const TableCell& cell) {
    Fields fields = table.rows[cell.row].values;
    append(fields, table.columns[cell.column].values);
    append(fields, numbers(cell.mean, cell.interval, cell.count(), cell.values.size()));
    append(fields, {cell.state, values_of(cell.values), "", "", "", "", "", table.warning});
    return fields;
}

Fields fields_of(const Table& table, const TableContrast& contrast) {
    Fields fields;
    for (const auto* axes : {&table.row_axes, &table.column_axes})
        for (const std::string& axis : *axes) {
            const auto at = contrast.place.find(axis);
            fields.push_back(at == contrast.place.end() ? "" : at->second);
        }
    append(fields, numbers(contrast.mean, contrast.interval, contrast.pairs(), contrast.values.size()));
    const bool whole = contrast.pairs() == contrast.values.size();
    append(fields, {contrast.pairs() == 0 ? "no_pair"
                    : whole               ? "ok"
                                          : "partial",
                    values_of(contrast.values), contrast.contrast, contrast.primary ? "true" : "false",
                    text_or_empty(contrast.p), text_or_empty(contrast.p_holm), to_string(contrast.verdict),
                    table.warning});
    return fields;
}

std::string csv_table(const Table& table) {
    Fields header = table.row_axes;
    append(header, table.column_axes);
    append(header, {table.metric, "t_interval_low", "t_interval_high", "n", "runs", "state", "values",
                    "contrast", "primary", "p_sign_flip", "p_holm", "verdict", "warning"});
    std::string text = line(header);
    for (const TableCell& cell : table.cells) text += line(fields_of(table, cell));
    for (const TableContrast& contrast : table.contrasts) text += line(fields_of(table, contrast));
    return text;
}

const bool csv_registered = TableFormats::instance().add(
    "csv", {"a header, a line per cell and a line per contrast (RFC 4180, no comments)", csv_table});

}  // namespace

}  // namespace locus
