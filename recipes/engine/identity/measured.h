// Ties the results of an evaluation to what was measured.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "recipes/engine/identity/identity.h"

namespace locus {

/// Puts `measured` ({thing: what it is}) and `checksum`, XXH3-128 of all the rest, into a document of
/// results.
void sign(nlohmann::json& results, const Identity& measured);

/// Throws a storage Error that begins with `place` where the results were edited, or are those of another
/// model than the one that was recorded: copied from another arm, or left from a training before this one.
/// Where no parameters were recorded they can be held against nothing.
void check_signature(const nlohmann::json& results, const Identity& recorded, const std::string& place);

/// What was measured, as sign() recorded it.
Identity measured_in(const nlohmann::json& results, const std::string& place);

}  // namespace locus
