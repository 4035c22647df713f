// The history of a run folder: what happened to it, when, where and by what command.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/scalar.h"
#include "recipes/engine/identity/identity.h"

namespace locus {

/// For manifests, never for the state of a run.
struct Event {
    std::string event = {};  // "resumed", "evaluated"; "": the run began
    std::string date = {}, host = {}, command = {};
    std::vector<Change> changes = {};    // of what the run stands on
    std::optional<Index> step = {};      // of "resumed": where it went on,
    std::string checkpoint = {};         // and from which file
    std::vector<std::string> kept = {};  // of "evaluated": names of the results that stay in the folder
};

/// By this process, now.
Event event_now(const std::string& event = "", const std::vector<Change>& changes = {});

/// {date, host, command} and, unless the run began with it, {event, changes[{thing, there, here}], step,
/// checkpoint, kept}, and back; throws a storage Error that begins with `place` for anything else.
nlohmann::json to_json(const Event& event);
Event event_from(const nlohmann::json& object, const std::string& place);

}  // namespace locus
