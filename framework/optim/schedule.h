#pragma once

#include "framework/core/scalar.h"

namespace locus {

enum class Schedule { constant, linear, cosine };  // what follows the warm-up

struct ScheduleOptions {
    Schedule schedule = Schedule::cosine;
    double lr = 1e-3, min_lr = 1e-4;
    Index warmup_steps = 0, steps = 1;
};

/// Learning rate of update `step`, counted from 1: step / warmup_steps of lr up to the end of the warm-up,
/// then from lr down to min_lr at the last step (or lr for ever, where constant).
double learning_rate(const ScheduleOptions& options, Index step);

}  // namespace locus
