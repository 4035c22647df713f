#include "framework/optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace locus {

double learning_rate(const ScheduleOptions& options, Index step) {
    if (step <= options.warmup_steps) {
        return options.lr * static_cast<double>(step) / static_cast<double>(options.warmup_steps);
    }
    const auto after = static_cast<double>(step - options.warmup_steps);
    const double done =
        std::min(1.0, after / static_cast<double>(std::max<Index>(1, options.steps - options.warmup_steps)));
    switch (options.schedule) {
        case Schedule::constant:
            return options.lr;
        case Schedule::linear:
            return options.lr + (options.min_lr - options.lr) * done;
        case Schedule::cosine:
            break;
    }
    return options.min_lr + (options.lr - options.min_lr) * 0.5 * (1 + std::cos(std::numbers::pi * done));
}

}  // namespace locus
