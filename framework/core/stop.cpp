#include "framework/core/stop.h"

#include <csignal>
#include <cstring>

#include "framework/core/error.h"

namespace locus {

static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may write it");

void request_stop(int signal) noexcept {
    stop_token::signal.store(signal, std::memory_order_relaxed);
}

void forget_stop() noexcept {
    stop_token::signal.store(0, std::memory_order_relaxed);
}

int stop_signal() noexcept {
    return stop_token::signal.load(std::memory_order_relaxed);
}

void throw_stopped() {
    const char* name = sigabbrev_np(stop_signal());
    if (name == nullptr) fail(Failure::interrupted, "stopped by signal {}", stop_signal());
    fail(Failure::interrupted, "stopped by SIG{}", name);
}

}  // namespace locus
