#include "framework/core/parallel.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "framework/core/error.h"
#include "framework/core/profile.h"

namespace locus {

Workers::Workers(int count) {
    require(count >= 1, "threads: expected at least 1, found {}", count);
    errors_.resize(static_cast<std::size_t>(count));
    for (int worker = 1; worker < count; ++worker) threads_.emplace_back([this, worker] { serve(worker); });
}

Workers::~Workers() {
    {
        std::lock_guard lock(mutex_);
        stop_ = true;
    }
    start_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

void Workers::attempt(int worker) {
    const ProfiledWorker timed(worker, part_);
    try {
        (*job_)(worker);
    } catch (...) {
        errors_[static_cast<std::size_t>(worker)] = std::current_exception();
    }
}

void Workers::serve(int worker) {
    long seen = 0;
    while (true) {
        {
            std::unique_lock lock(mutex_);
            start_.wait(lock, [&] { return stop_ || round_ != seen; });
            if (stop_) return;
            seen = round_;
        }
        attempt(worker);
        std::lock_guard lock(mutex_);
        if (--running_ == 0) finish_.notify_one();
    }
}

void Workers::run(const std::function<void(int)>& job) {
    {
        std::lock_guard lock(mutex_);
        job_ = &job;
        part_ = TimeLedger::current_part();
        running_ = static_cast<int>(threads_.size());
        ++round_;
    }
    start_.notify_all();
    attempt(0);
    {
        const ProfiledPart waiting("idle");
        std::unique_lock lock(mutex_);
        finish_.wait(lock, [&] { return running_ == 0; });
    }
    std::exception_ptr first;
    for (std::exception_ptr& error : errors_) {
        if (error && !first) first = error;
        error = nullptr;
    }
    if (first) std::rethrow_exception(first);
}

namespace {

// The number that an environment variable begins with ("4" or OpenMP's list "4,2"); 0 where it is not set.
int number_of(const char* name) {
    const char* text = std::getenv(name);
    if (text == nullptr || *text == '\0') return 0;
    int value = 0;
    const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
    require(error == std::errc() && value >= 1 && (*end == '\0' || *end == ','),
            "{}: expected a number of threads, found '{}'", name, text);
    return value;
}

}  // namespace

int default_threads(int ranks) {
    if (const int wanted = number_of("OMP_NUM_THREADS")) return wanted;
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    const int cores = sched_getaffinity(0, sizeof allowed, &allowed) == 0
                          ? CPU_COUNT(&allowed)
                          : static_cast<int>(std::thread::hardware_concurrency());
    return std::max(1, cores / ranks);
}

}  // namespace locus
