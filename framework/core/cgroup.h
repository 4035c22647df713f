// What the control groups of this process (a container, a batch system's job) leave it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace locus {

/// Where the kernel shows control groups; another place in tests.
struct ControlGroups {
    std::filesystem::path mount = "/sys/fs/cgroup";
    std::filesystem::path own = "/proc/self/cgroup";  // the groups that this process is in

    /// Processors' worth of time that this process and its group may take (1.5: three halves): the least
    /// quota of its group and of those above, of versions 1 and 2; nothing where there is none.
    std::optional<double> cpu_quota() const;

    /// Bytes that may still be taken, file pages that the group would give back aside; nothing where there is
    /// no limit.
    std::optional<std::int64_t> memory_left() const;
};

}  // namespace locus
