// Whether what an evaluation recorded fits together.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace locus {

/// What a run of summary.json says that cannot be: a checksum that is not that of its content, and numbers of
/// one result that do not follow from each other. A line each; none for a sound one.
std::vector<std::string> contradictions(const nlohmann::json& run);

}  // namespace locus
