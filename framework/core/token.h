#pragma once

#include <cstdint>

namespace locus {

using Token = std::int32_t;

/// Stands for the target of a place where nothing is asked.
inline constexpr Token no_target = -1;

}  // namespace locus
