#include "framework/core/threads.h"

#include <fmt/core.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "framework/core/cgroup.h"
#include "framework/core/error.h"

namespace locus {

namespace {

constexpr long max_per_core = 4;

std::string cores_text(int cores) {
    return fmt::format("{} {}", cores, cores == 1 ? "core" : "cores");
}

// The number that an environment variable begins with ("4" or OpenMP's list "4,2"); nothing where it is not
// set.
std::optional<long> number_of(const char* name) {
    const char* text = std::getenv(name);
    if (text == nullptr || *text == '\0') return std::nullopt;
    long value = 0;
    const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
    require(error == std::errc() && value >= 1 && (*end == '\0' || *end == ','),
            "{}: expected a number of threads, found '{}'", name, text);
    return value;
}

}  // namespace

int allowed_cores() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    int cores = sched_getaffinity(0, sizeof allowed, &allowed) == 0
                    ? CPU_COUNT(&allowed)
                    : static_cast<int>(std::thread::hardware_concurrency());
    if (const auto quota = ControlGroups().cpu_quota())
        cores = std::min(cores, static_cast<int>(std::min(std::ceil(*quota), 1e6)));
    return std::max(1, cores);
}

ThreadChoice choose_threads(const ThreadRequest& request) {
    const int cores = request.cores;
    ThreadChoice choice{std::max(1, cores / request.ranks)};
    if (request.wanted) {
        require(*request.wanted <= max_per_core * cores,
                "--threads: expected at most {}, {} for each core, found {}: this process may use {}",
                max_per_core * cores, max_per_core, *request.wanted, cores_text(cores));
        choice.threads = static_cast<int>(*request.wanted);
    } else if (const auto inherited = number_of("OMP_NUM_THREADS")) {
        choice.threads = static_cast<int>(std::min<long>(*inherited, cores));
        if (*inherited > cores)
            choice.notes.push_back(
                fmt::format("threads: OMP_NUM_THREADS is {}, but this process may use {}: {} taken",
                            *inherited, cores_text(cores), choice.threads));
    }
    if (static_cast<long>(choice.threads) * request.ranks > cores && choice.threads > 1)
        choice.notes.push_back(fmt::format("threads: {}{} on {}: they will wait for each other",
                                           request.ranks > 1 ? fmt::format("{} ranks x ", request.ranks) : "",
                                           choice.threads, cores_text(cores)));
    return choice;
}

}  // namespace locus
