// A profile as the document profile.json and as the table that `train --profile` prints.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "framework/core/profile.h"
#include "framework/core/scalar.h"

namespace locus {

/// What a profile needs to know of its run to speak of rates and memory.
struct ProfiledRun {
    Index tokens = 0;                      // of a step
    double flops_per_token = 0;            // forward and backward, by the count of Transformer
    std::vector<std::size_t> arena_peaks;  // [workers], bytes
    std::int64_t process_peak = 0;         // bytes
};

/// {steps, warm_up_steps, workers, step_seconds{mean, median, min}, tokens_per_second, flops_per_second,
/// ops[{name, forward_seconds, backward_seconds, calls, backward_calls, share}], parts[{name, seconds,
/// share}], idle[{worker, seconds, share}], memory{process_peak, arena_peaks}}. Seconds are those of one
/// step, summed over the workers; shares are of the time that all workers had, and add up to 1. REQUIRES: a
/// measured step.
nlohmann::json to_json(const ProfileReport& report, const ProfiledRun& run);

/// The same as a table.
std::string profile_table(const nlohmann::json& profile);

}  // namespace locus
