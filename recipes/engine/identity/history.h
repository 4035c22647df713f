// The history of a run folder: what happened after its run had begun.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "recipes/engine/identity/identity.h"

namespace locus {

/// {date, host, command} of this process: for manifests, never for the state of a run.
nlohmann::json occasion();

/// {event, date, host, command, changes[{thing, there, here}]}: an entry of a manifest's history.
nlohmann::json history_entry(const std::string& event, const std::vector<Change>& changes);

/// The changes of a history under which steps of training were taken.
std::vector<Change> changes_of_training(const nlohmann::json& manifest, const std::string& place);

/// Puts an entry at the end of manifest.history. Throws a storage Error that begins with `place` where that
/// is no list.
void add_history(nlohmann::json& manifest, nlohmann::json entry, const std::string& place);

}  // namespace locus
