#include "recipes/engine/identity/history.h"

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/io/process_record.h"

namespace locus {

using nlohmann::json;

json occasion() {
    const ProcessRecord record = process_record();
    return {{"date", record.date}, {"host", record.host}, {"command", record.command}};
}

json history_entry(const std::string& event, const std::vector<Change>& changes) {
    json entry = occasion();
    entry["event"] = event;
    entry["changes"] = to_json(changes);
    return entry;
}

std::vector<Change> changes_of_training(const json& manifest, const std::string& place) {
    std::vector<Change> all;
    const auto history = manifest.find("history");
    if (history == manifest.end() || !history->is_array()) return all;
    for (const json& entry : *history) {
        if (!entry.is_object() || !entry.contains("changes") || entry.value("event", json()) != "resumed")
            continue;
        if (entry.value("step", json()) == manifest.value("steps", json()))
            continue;  // none was left to take
        for (Change& change : changes_from(entry["changes"], place + ": 'history'"))
            all.push_back(std::move(change));
    }
    return all;
}

void add_history(json& manifest, json entry, const std::string& place) {
    json& history = manifest["history"];
    if (history.is_null()) history = json::array();
    require(history.is_array(), Failure::storage, "{}: 'history': expected a list, found {}", place,
            history.type_name());
    history.push_back(std::move(entry));
}

}  // namespace locus
