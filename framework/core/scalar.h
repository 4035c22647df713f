// The number type of a build: float for work, double for gradient checks.
//
// The build defines LOCUS_SCALAR as f32 or f64. Everything that depends on the type lives in the inline
// namespace of that name, so that no executable can link both by accident.
#pragma once

#include <cstdint>

namespace locus {

using Index = std::int64_t;

namespace f32 {
using Scalar = float;
inline constexpr const char* scalar_name = "float32";
}  // namespace f32
namespace f64 {
using Scalar = double;
inline constexpr const char* scalar_name = "float64";
}  // namespace f64

inline namespace LOCUS_SCALAR {}

}  // namespace locus
