// The one question that every long loop asks: should this process save what it has and leave?
#pragma once

#include <atomic>

namespace locus {

/// Asks all work of this process to stop. May be called by a signal handler; `signal` is what asked for it.
void request_stop(int signal) noexcept;

/// Takes the request back: for a program that goes on with other work, and for tests.
void forget_stop() noexcept;

/// The signal that asked for the stop; 0 where none did.
int stop_signal() noexcept;

/// Throws an interrupted Error that names the signal.
[[noreturn]] void throw_stopped();

namespace stop_token {
inline std::atomic<int> signal{0};  // one for the process, as signals are
}

inline bool stop_requested() noexcept {
    return stop_token::signal.load(std::memory_order_relaxed) != 0;
}

/// Throws an interrupted Error once a stop was requested: a load and a branch, for the inner parts of work
/// that saves nothing by itself. Whoever can save catches it there.
inline void throw_if_stopped() {
    if (stop_requested()) [[unlikely]]
        throw_stopped();
}

}  // namespace locus
