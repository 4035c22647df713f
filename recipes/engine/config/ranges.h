// The values of an axis that are not written one by one: ranges.
#pragma once

#include <string>
#include <vector>

#include "recipes/engine/config/value.h"

namespace locus {

/// The values that an axis lists, or those of a range, both ends included:
///   { from: 0, to: 5 }                           0, 1, 2, 3, 4, 5
///   { from: 0, to: 1, step: 0.25 }               0, 0.25, 0.5, 0.75, 1
///   { from: 64, to: 512, factor: 2 }             64, 128, 256, 512
///   { from: 1, to: 2, count: 3 }                 1, 1.5, 2
///   { from: 1e-4, to: 1e-2, count: 5, log: true }    0.0001, 0.0003162, 0.001, 0.003162, 0.01
/// Logarithmic values that are not whole have four digits. `path` and `example` stand in errors. Throws a
/// usage Error where the value is neither, and where steps do not meet the end.
std::vector<Value> axis_values(const Value& value, const std::string& path, const std::string& example);

}  // namespace locus
