// A fixed set of worker threads.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace locus {

/// Threads that run the same job, each with its own number. The calling thread is worker 0.
class Workers {
  public:
    /// Throws unless count >= 1, and a storage Error where the system makes no more threads.
    explicit Workers(int count);
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    int count() const { return static_cast<int>(threads_.size()) + 1; }

    /// Calls job(worker) on every worker and waits. The error of the lowest worker is thrown again.
    void run(const std::function<void(int worker)>& job);

  private:
    void end();
    void serve(int worker);
    void attempt(int worker);

    std::vector<std::thread> threads_;
    std::vector<std::exception_ptr> errors_;
    std::mutex mutex_;
    std::condition_variable start_, finish_;
    const std::function<void(int)>* job_ = nullptr;
    const char* part_ = nullptr;  // of a step, that the job belongs to: for a profile
    long round_ = 0;
    int running_ = 0;
    bool stop_ = false;
};

}  // namespace locus
