#include "recipes/engine/experiment/ranks_per_cell.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>

#include "recipes/engine/run/drawn_training.h"
#include "recipes/engine/run/reporter.h"
#include "recipes/engine/run/workbench.h"

namespace locus {

namespace {

int groups_of(int ranks, int ranks_per_cell) {
    return ranks / ranks_per_cell;
}

// Until all cells are done, in seconds: a group that is free takes the longest that is left.
double end_of(std::vector<double> steps, int ranks, const StepTime& time) {
    std::sort(steps.begin(), steps.end(), std::greater<>());
    std::vector<double> busy(static_cast<std::size_t>(groups_of(ranks, time.ranks)));
    for (const double cell : steps) *std::min_element(busy.begin(), busy.end()) += cell * time.seconds;
    return *std::max_element(busy.begin(), busy.end());
}

}  // namespace

Communicator group_of(const Communicator& world, int ranks_per_cell) {
    const int groups = groups_of(world.size(), ranks_per_cell);
    if (groups == 1) return world;
    return world.split(static_cast<int>((world.rank() + 1L) * groups - 1) / world.size());
}

RankChoice choose_ranks_per_cell(const std::vector<double>& steps, int ranks,
                                 const std::vector<StepTime>& times) {
    RankChoice best{1, std::numeric_limits<double>::infinity()};
    for (const StepTime& time : times) {
        const double end = end_of(steps, ranks, time);
        if (end < best.seconds * (1 - 1e-9)) best = {time.ranks, end};
    }
    return best;
}

std::string reason_of(const RankChoice& choice, const std::vector<double>& steps, int ranks,
                      const std::vector<StepTime>& times) {
    std::string text = fmt::format("{} of {}, by measurement:", choice.ranks_per_cell, ranks);
    for (const StepTime& time : times)
        text += fmt::format("{} {}: {:.3g} ms per step, all cells in {}", time.ranks == 1 ? "" : ";",
                            time.ranks, 1e3 * time.seconds, clock_text(end_of(steps, ranks, time)));
    return text;
}

namespace {

using StepClock = std::chrono::steady_clock;

constexpr double enough = 0.3;  // seconds of steps that are timed

// Of the group that needs longest.
double seconds_of_step(DrawnTraining& training, Index number, const Communicator& world) {
    const auto begin = StepClock::now();
    training.step(number);
    return 1e-9 *
           static_cast<double>(world.largest(
               std::chrono::duration_cast<std::chrono::nanoseconds>(StepClock::now() - begin).count()));
}

}  // namespace

std::vector<StepTime> time_steps(const Recipe& recipe, const Communicator& world, int threads) {
    Recipe timed = recipe;
    TrainOptions& options = timed.train;
    options.tokens = 1000 * options.batch_tokens;
    options.lr = options.min_lr = 0;  // a cell that will diverge does not do so here
    std::vector<StepTime> times;
    for (int groups = world.size(); groups >= 1; groups /= 2) {
        const int ranks = world.size() / groups;
        DrawnTraining training(make_trainable_model(recipe), timed, options.sequences(), options.length,
                               threads, group_of(world, ranks));
        training.step(1);  // takes memory
        const double first = seconds_of_step(training, 2, world);
        const auto repeats = static_cast<Index>(std::clamp(enough / first, 1.0, 20.0));
        double min = first;
        for (Index step = 3; step < 3 + repeats; ++step)
            min = std::min(min, seconds_of_step(training, step, world));
        times.push_back({ranks, min});
    }
    return times;
}

}  // namespace locus
