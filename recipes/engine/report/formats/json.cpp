#include <nlohmann/json.hpp>

#include "recipes/engine/report/run_folder.h"
#include "recipes/engine/report/table_format.h"

namespace locus {

namespace {

using nlohmann::json;

json or_null(const std::optional<double>& value) {
    return value ? json(*value) : json();
}

json cell_of(const Table& table, const TableCell& cell) {
    json out;
    out["row"] = table.rows[cell.row].label;
    out["column"] = table.columns[cell.column].label;
    out["mean"] = or_null(cell.mean);
    out["interval"] = cell.interval ? json{cell.interval->low, cell.interval->high} : json();
    out["interval_method"] = cell.interval ? json("Student's t, 95 %, over " + table.over) : json();
    out["n"] = cell.count();
    out["values"] = json::array();
    for (const auto& value : cell.values) out["values"].push_back(or_null(value));
    out["runs"] = cell.runs;
    out["run_states"] = cell.states;
    out["state"] = cell.state;
    out["best"] = cell.best;
    return out;
}

json contrast_of(const Table& table, const TableContrast& contrast) {
    json out;
    out["contrast"] = contrast.row;
    out["arms"] = contrast.contrast;
    out["coordinates"] = contrast.place;
    out["column"] = contrast.column;
    out["mean"] = or_null(contrast.mean);
    out["interval"] = contrast.interval ? json{contrast.interval->low, contrast.interval->high} : json();
    out["interval_method"] =
        contrast.interval ? json("Student's t, 95 %, of differences paired by " + table.over) : json();
    out["values"] = json::array();
    for (const auto& value : contrast.values) out["values"].push_back(or_null(value));
    out["n"] = contrast.pairs();
    out["p_sign_flip"] = or_null(contrast.p);
    out["p_method"] = contrast.p ? json(sign_flip_method(contrast.pairs())) : json();
    out["p_holm"] = or_null(contrast.p_holm);
    out["primary"] = contrast.primary;
    out["verdict"] = to_string(contrast.verdict);
    return out;
}

json labels(const std::vector<TableKey>& keys) {
    json out = json::array();
    for (const TableKey& key : keys) out.push_back(key.label);
    return out;
}

// What the columns ask for, by axis, so that no program has to take labels apart.
json coordinates(const std::vector<TableKey>& keys, const std::vector<std::string>& axes) {
    json out = json::array();
    for (const TableKey& key : keys) {
        json at = json::object();
        for (std::size_t i = 0; i < axes.size(); ++i) at[axes[i]] = key.values[i];
        out.push_back(at);
    }
    return out;
}

std::string json_table(const Table& table) {
    json out;
    out["question"] = table.question;
    out["metric"] = table.metric;
    out["unit"] = table.measure().unit;
    out["higher_is_better"] = table.measure().higher_is_better;
    out["over"] = table.over;
    out["rows"] = labels(table.rows);
    out["columns"] = labels(table.columns);
    out["row_coordinates"] = coordinates(table.rows, table.row_axes);
    out["column_coordinates"] = coordinates(table.columns, table.column_axes);
    out["answer"] = table.answer;
    out["warning"] = table.warning.empty() ? json() : json(table.warning);
    out["notes"] = json::array();
    if (!table.warning.empty()) out["notes"].push_back(table.warning);
    for (const auto* lines : {&table.definitions, &table.ledger, &table.notes})
        for (const std::string& line : *lines) out["notes"].push_back(line);
    out["cells"] = json::array();
    for (const TableCell& cell : table.cells) out["cells"].push_back(cell_of(table, cell));
    if (!table.contrasts.empty()) out["contrasts"] = json::array();
    for (const TableContrast& contrast : table.contrasts)
        out["contrasts"].push_back(contrast_of(table, contrast));
    return out.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

const bool json_registered = TableFormats::instance().add(
    "json", {"one document: rows, columns, cells, contrasts, notes", json_table});

}  // namespace

}  // namespace locus
