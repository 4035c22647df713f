#include "framework/io/machine.h"

#include <cblas.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/cgroup.h"
#include "framework/core/error.h"
#include "framework/core/scalar.h"
#include "framework/core/simd_target.h"
#include "framework/io/hdf5_handle.h"

#if __has_include("locus_commit.h")
#include "locus_commit.h"  // written by cmake/Commit.cmake
#endif

namespace locus {

namespace {

constexpr const char* unknown = "unknown";
constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

// The build hands these in; outside of a repository there is no commit.
#ifdef LOCUS_COMMIT
constexpr const char* commit = LOCUS_COMMIT;
#else
constexpr const char* commit = unknown;
#endif
#ifdef LOCUS_DIRTY
constexpr const char* dirty = LOCUS_DIRTY;  // hash of the uncommitted changes, empty for none
#else
constexpr const char* dirty = unknown;
#endif
#ifdef LOCUS_COMPILE_FLAGS
constexpr const char* flags = LOCUS_COMPILE_FLAGS;
#else
constexpr const char* flags = "";
#endif

std::string compiler() {
#ifdef __clang__
    return __VERSION__;  // begins with its name
#else
    return std::string("GCC ") + __VERSION__;
#endif
}

/// The first line "KEY : value" of /proc/cpuinfo.
std::string cpuinfo(std::string_view key) {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const std::size_t colon = line.find(':');
        if (colon == std::string::npos || !line.starts_with(key)) continue;
        const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
        return begin == std::string::npos ? unknown : line.substr(begin);
    }
    return unknown;
}

/// Those of the processor's features that decide which kernels run.
std::vector<std::string> vector_features() {
    constexpr std::string_view families[] = {"sse", "ssse",  "avx", "fma", "f16c",
                                             "amx", "asimd", "sve", "bf16"};
    std::istringstream words(cpuinfo("flags") == unknown ? cpuinfo("Features") : cpuinfo("flags"));
    std::vector<std::string> features;
    for (std::string word; words >> word;) {
        for (const std::string_view family : families) {
            if (word.starts_with(family)) features.push_back(word);
        }
    }
    return features;
}

std::string hdf5_version() {
    const std::string running = hdf5::running_version(), built = hdf5::built_version();
    return running == built ? running : fmt::format("{} (built for {})", running, built);
}

}  // namespace

nlohmann::json machine_manifest(GemmBackend backend) {
    const std::string model = cpuinfo("model name");
    return {{"commit", commit},
            {"dirty", dirty},
            {"compiler", compiler()},
            {"flags", flags},
            {"scalar", scalar_name},
            {"target", simd_target() + (backend == GemmBackend::own ? "" : ", openblas")},
            {"blas", openblas_get_config()},
            {"blas_kernel", openblas_get_corename()},
            {"cpu", model == unknown ? cpuinfo("CPU part") : model},
            {"cpu_features", vector_features()},
            {"libraries", {{"hdf5", hdf5_version()}}}};
}

namespace {

/// The number, in KiB, of a line "KEY:  number kB"; 0 where there is none.
std::int64_t kibibytes(const char* path, std::string_view key) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with(key)) return std::atoll(line.c_str() + key.size());
    }
    return 0;
}

std::int64_t left_of_addresses() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
    const std::int64_t used = kibibytes("/proc/self/status", "VmSize:") * 1024;
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(limit.rlim_cur) - used);
}

}  // namespace

std::int64_t available_memory() {
    const std::int64_t system = kibibytes("/proc/meminfo", "MemAvailable:") * 1024;
    const std::int64_t min =
        std::min({system > 0 ? system : unlimited, ControlGroups().memory_left().value_or(unlimited),
                  left_of_addresses()});
    return min == unlimited ? 0 : min;
}

std::int64_t peak_memory() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return std::int64_t{usage.ru_maxrss} * 1024;  // Linux counts KiB
}

}  // namespace locus
