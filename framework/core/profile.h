// Where the time of training steps goes: by op, by part of the step, by worker.
//
// Every worker has a ledger and a mark: the moment up to which its time is accounted for. Whoever finishes
// something charges the time since the mark to its name, so every moment of a worker belongs to one row, and
// the rows add up. Without a profile a thread has no ledger, and all that remains of this is one branch
// per op.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace locus {

/// Time and calls of one op, or of one part of a step. Seconds are summed over steps and workers, without
/// what is charged to other rows meanwhile.
struct ProfileRow {
    std::string name;
    bool is_op = false;
    double forward = 0, backward = 0;  // a part has no backward
    std::int64_t calls = 0, backward_calls = 0;

    double seconds() const { return forward + backward; }
};

/// What the measured steps took. seconds() of all rows and idle time add up to workers x seconds.
struct ProfileReport {
    std::int64_t warm_up = 0;          // steps before, which fill memory and caches
    std::vector<double> step_seconds;  // of each measured step
    double seconds = 0;                // of all of them
    std::vector<ProfileRow> rows;      // most time first
    std::vector<double> idle;          // [workers]
};

/// The ledger of one thread.
class TimeLedger {
  public:
    using Clock = std::chrono::steady_clock;

    /// That of the calling thread; null: nothing is measured.
    static TimeLedger* current() { return current_; }

    /// The innermost part that the calling thread is in; null where nothing is measured.
    static const char* current_part() { return current_ == nullptr ? nullptr : current_->part_; }

    /// Charges the time since the mark to an op that has computed its value. `name` must live on, as the
    /// names of functions do; it is cut down to the function's bare name in the report.
    void op(const char* name) {
        if (pullbacks_ == 0) charge(name, Row::forward);
    }

  private:
    friend class Profile;
    friend class ProfiledPart;
    friend class ProfiledPullback;
    friend class ProfiledWorker;

    enum class Row { forward, backward, part };
    struct Entry {
        const char* name;
        Row row;
        double seconds = 0;
        std::int64_t calls = 0;
    };

    void charge(const char* name, Row row);
    double take();       // seconds since the mark, which is moved to now
    double interrupt();  // begins something else; returns what resume() wants
    void resume(double open) { open_ = open; }

    static inline constinit thread_local TimeLedger* current_ = nullptr;

    std::vector<Entry> entries_;
    Clock::time_point mark_;
    double open_ = 0;             // seconds before the mark that are not charged yet
    const char* part_ = nullptr;  // the innermost part
    int pullbacks_ = 0;           // that run: ops within belong to the outermost
};

/// Charges its scope to a part of the step: "optimizer". Time that ops and inner parts take is theirs.
class ProfiledPart {
  public:
    explicit ProfiledPart(const char* name) : ProfiledPart(TimeLedger::current(), name) {}
    ~ProfiledPart() {
        if (ledger_ != nullptr) end();
    }
    ProfiledPart(const ProfiledPart&) = delete;
    ProfiledPart& operator=(const ProfiledPart&) = delete;

  private:
    friend class ProfiledWorker;
    ProfiledPart(TimeLedger* ledger, const char* name) : ledger_(ledger) {
        if (ledger_ != nullptr) begin(name);
    }
    void begin(const char* name);
    void end();

    TimeLedger* ledger_;
    const char* outer_ = nullptr;
    double open_ = 0;
};

/// Charges its scope, ops within included, to the backward side of an op.
class ProfiledPullback {
  public:
    explicit ProfiledPullback(const char* name) : ledger_(TimeLedger::current()), name_(name) {
        if (ledger_ != nullptr) begin();
    }
    ~ProfiledPullback() {
        if (ledger_ != nullptr) end();
    }
    ProfiledPullback(const ProfiledPullback&) = delete;
    ProfiledPullback& operator=(const ProfiledPullback&) = delete;

  private:
    void begin();
    void end();

    TimeLedger* ledger_;
    const char* name_;
};

/// A profile of a run with `workers` workers.
class Profile {
  public:
    explicit Profile(int workers);

    /// Says how many steps there will be: the first two only warm up, unless there are no others.
    void expect(std::int64_t steps);

    /// Measures its scope, on the calling thread and on the workers that it runs. With null: nothing.
    class Step {
      public:
        explicit Step(Profile* profile);
        ~Step();
        Step(const Step&) = delete;
        Step& operator=(const Step&) = delete;

      private:
        Profile* profile_;  // null where this step is not measured
        TimeLedger::Clock::time_point begin_;
    };

    ProfileReport report() const;

  private:
    friend class ProfiledWorker;

    std::vector<std::unique_ptr<TimeLedger>> ledgers_;
    std::vector<double> step_seconds_;
    std::int64_t warm_up_ = 0, seen_ = 0;
};

/// Around a job on the thread of a worker: charges it to the part in which it was asked for (null: nothing).
class ProfiledWorker {
  public:
    ProfiledWorker(int worker, const char* part) : part_(part == nullptr ? nullptr : enter(worker), part) {}
    ~ProfiledWorker() {
        if (part_.ledger_ != nullptr) TimeLedger::current_ = nullptr;
    }
    ProfiledWorker(const ProfiledWorker&) = delete;
    ProfiledWorker& operator=(const ProfiledWorker&) = delete;

  private:
    static TimeLedger* enter(int worker);  // null for worker 0: the calling thread, which has its ledger

    ProfiledPart part_;
};

/// "locus::f32::Variable locus::f32::gelu(const Variable&)" as "gelu".
std::string bare_function_name(const std::string& signature);

}  // namespace locus
