// The vector instruction set whose kernels run.
#pragma once

#include <string>

namespace locus {

/// Limits the kernels to an instruction set and those below it: "avx2", "sse4", ... as simd_target() names
/// them. To be called before the first kernel runs: packed data depends on the width of a vector. Throws a
/// usage Error for one that this program was not built for, or that this processor lacks.
void limit_simd_target(const std::string& name);

/// The same with the value of LOCUS_TARGET, where it is set and not empty. Called first by every program: the
/// lowest target becomes usable on processors that Highway does not know to have it.
void limit_simd_target_by_environment();

/// The best of what the program was built for, the processor has and the limit allows: "avx3" (which is
/// AVX-512), "avx2", "sse4", "neon", ...
std::string simd_target();

}  // namespace locus
