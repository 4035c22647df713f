#include "recipes/engine/identity/history.h"

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/io/process_record.h"

namespace locus {

using nlohmann::json;

Event event_now(const std::string& event, const std::vector<Change>& changes) {
    const ProcessRecord record = process_record();
    return {.event = event,
            .date = record.date,
            .host = record.host,
            .command = record.command,
            .changes = changes};
}

json to_json(const Event& event) {
    json object = {{"date", event.date}, {"host", event.host}, {"command", event.command}};
    if (event.event.empty()) return object;
    object["event"] = event.event;
    object["changes"] = to_json(event.changes);
    if (event.step) object["step"] = *event.step;
    if (!event.checkpoint.empty()) object["checkpoint"] = event.checkpoint;
    if (!event.kept.empty()) object["kept"] = event.kept;
    return object;
}

Event event_from(const json& object, const std::string& place) {
    require(object.is_object(), Failure::storage, "{}: expected objects, found {}", place,
            object.type_name());
    Event event;
    try {
        event.event = object.value("event", "");
        event.date = object.value("date", "");
        event.host = object.value("host", "");
        event.command = object.value("command", "");
        if (object.contains("changes")) event.changes = changes_from(object["changes"], place);
        if (object.contains("step")) event.step = object["step"].get<Index>();
        event.checkpoint = object.value("checkpoint", "");
        event.kept = object.value("kept", std::vector<std::string>());
    } catch (const json::exception& error) {
        fail(Failure::storage, "{}: {}", place, error.what());
    }
    return event;
}

}  // namespace locus
