// What a result may depend on besides its recipe: the binary, the machine and the libraries.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "framework/core/products.h"

namespace locus {

/// For manifest.json: commit, compiler, flags, scalar type, vector instruction set in use, BLAS and its
/// kernel, CPU model and features, versions of libraries. What cannot be told is "unknown". The instruction
/// set is followed by the backend where training's products are not Locus's own: "avx2, openblas".
nlohmann::json machine_manifest(GemmBackend backend = GemmBackend::own);

/// Bytes of memory that a process may still take: what the system has, the limit of a container, the
/// process's own limit of its addresses, the smallest of them; 0 where nothing tells.
std::int64_t available_memory();

/// Largest resident size of this process so far, in bytes.
std::int64_t peak_memory();

}  // namespace locus
