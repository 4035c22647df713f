#include "framework/core/parallel.h"

#include <system_error>

#include "framework/core/error.h"
#include "framework/core/profile.h"

namespace locus {

Workers::Workers(int count) {
    require(count >= 1, "threads: expected at least 1, found {}", count);
    errors_.resize(static_cast<std::size_t>(count));
    try {
        for (int worker = 1; worker < count; ++worker)
            threads_.emplace_back([this, worker] { serve(worker); });
    } catch (const std::system_error& error) {  // there is no destructor yet that would end the others
        const std::size_t made = threads_.size() + 1;
        end();
        fail(Failure::storage,
             "threads: {} of {} could be made, then: {}; the limits of processes or memory allow no more",
             made, count, error.code().message());
    } catch (...) {
        end();
        throw;
    }
}

Workers::~Workers() {
    end();
}

void Workers::end() {
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

}  // namespace locus
