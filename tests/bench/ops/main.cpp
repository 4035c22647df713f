// bench_ops: time of every op. --benchmark_filter=attention chooses, --benchmark_format=json is for programs.
#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include "framework/core/blas.h"
#include "framework/core/error.h"
#include "framework/core/simd_target.h"

int main(int count, char** words) {
    try {
        locus::limit_simd_target_by_environment();
    } catch (const locus::Error& error) {
        fmt::print(stderr, "bench_ops: {}\n", error.what());
        return static_cast<int>(error.kind());
    }
    benchmark::Initialize(&count, words);
    if (benchmark::ReportUnrecognizedArguments(count, words)) return static_cast<int>(locus::Failure::usage);
    benchmark::AddCustomContext("target", locus::simd_target());
    benchmark::AddCustomContext("blas", locus::blas_description());
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
