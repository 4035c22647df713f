// What Locus throws, and how a failure becomes an exit code.
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace locus {

/// Kinds of failure. The number is the exit code of the command line.
enum class Failure : int {
    check = 1,        // a check or a verdict failed, or a cell of a run failed
    usage = 2,        // command line, recipe, or an argument of a function
    data = 3,         // corpora of any kind
    numeric = 4,      // NaN, divergence
    storage = 5,      // checkpoints, run folders, disk
    interrupted = 75  // stopped by a signal; can be resumed
};

/// The one exception of Locus: one clear line and the kind of failure.
class Error : public std::runtime_error {
  public:
    Error(Failure kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
    Failure kind() const { return kind_; }

  private:
    Failure kind_;
};

/// Throws Error of `kind` with a formatted message: what was expected, what came, with shapes.
template <typename... Args>
[[noreturn]] void fail(Failure kind, fmt::format_string<Args...> message, Args&&... args) {
    throw Error(kind, fmt::format(message, std::forward<Args>(args)...));
}

/// Throws a usage Error unless `condition` holds.
template <typename... Args>
void require(bool condition, fmt::format_string<Args...> message, Args&&... args) {
    if (!condition) fail(Failure::usage, message, std::forward<Args>(args)...);
}

/// Throws an Error of `kind` unless `condition` holds.
template <typename... Args>
void require(bool condition, Failure kind, fmt::format_string<Args...> message, Args&&... args) {
    if (!condition) fail(kind, message, std::forward<Args>(args)...);
}

}  // namespace locus
