// metrics.jsonl: a line per step.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/error.h"

namespace locus {

/// One update of the weights, as it stands in metrics.jsonl.
struct StepRecord {
    std::int64_t step = 0;    // from 1
    std::int64_t tokens = 0;  // cumulative
    double loss = 0;          // mean over the batch, nats
    double lr = 0;            // that this update used
    double grad_norm = 0;     // before clipping
    double seconds = 0;       // since this process began to train; the log adds those of earlier processes
    double tokens_per_second = 0;  // of this step, data included
    std::optional<double> valid_loss = std::nullopt;
};

/// The line of a record, without its end: numbers in shortest round-trip form, NaN and infinities as null.
std::string to_json_line(const StepRecord& record);

/// Appends to a metrics.jsonl. A run that goes on from a checkpoint logs as if it had never been stopped.
class RunLog {
  public:
    /// Opens the log of a run that has done `step` updates (0: a new run) and cuts it back to them: later
    /// lines, a half-written one and repeated ones go. Throws a storage Error.
    RunLog(const std::filesystem::path& path, std::int64_t step);
    RunLog(const RunLog&) = delete;
    RunLog& operator=(const RunLog&) = delete;
    ~RunLog();

    /// Appends a line; the next step must follow. Throws a storage Error.
    void write(StepRecord record);

    /// Whether the last line is of a step whose validation was not finished: its loss is null.
    bool lacks_valid_loss() const { return lacks_valid_loss_; }

    /// Puts it into the last line. Throws a storage Error.
    void complete(double valid_loss);

    /// Puts what was written on the disk; to be called before a checkpoint is saved, which must not outrun
    /// its log.
    void flush();

    /// Seconds of training before this process, from the last line that was kept.
    double seconds_before() const { return seconds_before_; }

    /// What was wrong with the old log, a line each: unreadable or missing steps.
    const std::vector<std::string>& warnings() const { return warnings_; }

  private:
    [[noreturn]] void refuse(int code) const;
    void open();
    std::string cut_back(const std::string& text, std::int64_t step);

    std::filesystem::path path_;
    int file_ = -1;
    std::int64_t last_ = 0;
    double seconds_before_ = 0;
    bool lacks_valid_loss_ = false;
    std::vector<std::string> warnings_;
};

/// The records of a metrics.jsonl; null comes back as NaN. A half-written last line is left out. Throws a
/// storage Error that names the line otherwise.
std::vector<StepRecord> read_run_log(const std::filesystem::path& path);

}  // namespace locus
