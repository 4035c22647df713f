// The number type of a build: float for work, double for gradient checks.
//
// The build defines LOCUS_SCALAR as f32 or f64. Everything that depends on the type lives in the inline
// namespace of that name, so that no executable can link both by accident. Above models/ everything is built
// for float only and opens no such namespace.
#pragma once

#include <cstdint>
#include <limits>

namespace locus {

using Index = std::int64_t;

/// For messages: a NaN without the sign that arithmetic happens to give it ("nan", never "-nan").
inline double unsigned_nan(double value) {
    return value != value ? std::numeric_limits<double>::quiet_NaN() : value;
}

namespace number {
using f32 = float;
using f64 = double;
}  // namespace number

inline namespace LOCUS_SCALAR {
using Scalar = number::LOCUS_SCALAR;
inline constexpr const char* scalar_name = sizeof(Scalar) == sizeof(float) ? "float32" : "float64";
}  // namespace LOCUS_SCALAR

}  // namespace locus
