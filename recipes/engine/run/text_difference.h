#pragma once

#include <string>

namespace locus {

/// The first line in which two texts differ, for an error: "line 3 is 'a' there, 'b' here".
std::string first_difference(const std::string& here, const std::string& there);

}  // namespace locus
