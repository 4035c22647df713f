// How many threads a process works with.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace locus {

/// What decides the number of threads.
struct ThreadRequest {
    std::optional<long> wanted = std::nullopt;  // --threads
    int ranks = 1;                              // processes that share the allowed cores
    int cores = 1;                              // that are allowed: allowed_cores()
};

/// A number of threads, and what a user must know about it, a line each.
struct ThreadChoice {
    int threads = 1;
    std::vector<std::string> notes = {};
};

/// Threads that may run at the same time: the cores that this process may use, or fewer where a control group
/// gives it less time.
int allowed_cores();

/// `wanted`, else OMP_NUM_THREADS, else the allowed cores divided by the ranks. Throws a usage Error for more
/// than 4 threads for each allowed core; OMP_NUM_THREADS, which was perhaps meant for another program, is cut
/// to one for each.
ThreadChoice choose_threads(const ThreadRequest& request);

}  // namespace locus
