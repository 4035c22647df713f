// Whether what an evaluation recorded fits together.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "recipes/engine/measure/record.h"

namespace locus {

/// Whether two numbers are the same but for rounding; any number is, where none is expected to be finite.
bool nearly_equal(double found, double expected);

/// What cannot be of an evaluation that was read from `object`: a checksum that is not that of its content,
/// and numbers of one record that do not follow from each other. A line each; none for a sound one.
std::vector<std::string> contradictions(const nlohmann::json& object, const Evaluation& evaluation);

}  // namespace locus
