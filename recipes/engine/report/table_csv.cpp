#include "framework/core/error.h"
#include "recipes/engine/config/value.h"
#include "recipes/engine/report/run_folder.h"
#include "recipes/engine/report/table_format.h"
#include "recipes/engine/report/table_words.h"

namespace locus {

namespace {

std::string field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

std::string line(const std::vector<std::string>& fields) {
    std::vector<std::string> quoted;
    for (const std::string& text : fields) quoted.push_back(field(text));
    return joined_words(quoted, ",") + "\n";
}

std::string text_or_empty(const std::optional<double>& value) {
    return value ? text_of(*value) : "";
}

// Empty where a run has no value, so that places stay those of the runs.
std::string values_of(const TableCell& cell) {
    std::string text;
    for (std::size_t i = 0; i < cell.values.size(); ++i)
        text += (i == 0 ? "" : ";") + text_or_empty(cell.values[i]);
    return text;
}

std::vector<std::string> fields_of(const Table& table, const TableCell& cell) {
    std::vector<std::string> fields = table.rows[cell.row].values;
    const auto& column = table.columns[cell.column].values;
    fields.insert(fields.end(), column.begin(), column.end());
    fields.push_back(text_or_empty(cell.mean));
    fields.push_back(cell.interval ? text_of(cell.interval->low) : "");
    fields.push_back(cell.interval ? text_of(cell.interval->high) : "");
    fields.push_back(text_of(static_cast<Index>(cell.count())));
    fields.push_back(text_of(static_cast<Index>(cell.values.size())));
    fields.push_back(cell.state);
    fields.push_back(values_of(cell));
    return fields;
}

}  // namespace

std::string csv_of(const Table& table) {
    std::string text = table.warning.empty() ? "" : "# " + table.warning + "\n";
    std::vector<std::string> header = table.row_axes;
    header.insert(header.end(), table.column_axes.begin(), table.column_axes.end());
    for (const char* name : {metric_names[static_cast<std::size_t>(table.metric)], "t_interval_low",
                             "t_interval_high", "n", "runs", "state", "values"})
        header.emplace_back(name);
    text += line(header);
    for (const TableCell& cell : table.cells) text += line(fields_of(table, cell));
    return text;
}

}  // namespace locus
