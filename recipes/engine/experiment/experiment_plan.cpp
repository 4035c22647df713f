#include "recipes/engine/experiment/experiment_plan.h"

#include <fmt/core.h>

#include <algorithm>

#include "recipes/engine/experiment/ranks_per_cell.h"

namespace locus {

bool begin_with_others(const std::vector<Cell>& cells) {
    return std::any_of(cells.begin(), cells.end(),
                       [](const Cell& cell) { return !cell.recipe.from.arm.empty(); });
}

namespace {

// What a cell will cost, in floating-point operations: its training, and the targets that it evaluates.
double expected_work(const Recipe& recipe) {
    const auto model = make_model(recipe);
    double work = model->flops_per_token(recipe.train.length) *
                  static_cast<double>(recipe.train.steps() * recipe.train.batch_tokens);
    for (const Index length : recipe.evaluate.lengths)
        work += model->flops_per_token(length) / 3 * static_cast<double>(recipe.evaluate.targets * length);
    return work;
}

// How many ranks train a cell, and why: all ranks together find it out.
Index decide_ranks_per_cell(const std::vector<Cell>& cells, const std::vector<std::size_t>& order,
                            const std::vector<double>& work, const ExperimentRanks& ranks,
                            Reporter& reporter) {
    const Communicator& world = ranks.world;
    if (world.alone() || order.empty()) return world.size();
    std::string why = fmt::format("{} of {}, as --ranks-per-cell says", ranks.ranks_per_cell, world.size());
    Index chosen = ranks.ranks_per_cell;
    if (chosen == 0 && begin_with_others(cells)) {
        chosen = world.size();
        why = fmt::format("all {}, because cells begin with other cells (from.arm)", chosen);
    } else if (chosen == 0) {
        const auto longest =
            static_cast<std::size_t>(std::max_element(work.begin(), work.end()) - work.begin());
        const Recipe& timed = cells[order[longest]].recipe;
        const double of_step = make_model(timed)->flops_per_token(timed.train.length) *
                               static_cast<double>(timed.train.batch_tokens);
        std::vector<double> steps;
        for (const double cell : work) steps.push_back(cell / of_step);
        const std::vector<StepTime> times = time_steps(timed, world, ranks.threads);
        const RankChoice choice = choose_ranks_per_cell(steps, world.size(), times);
        chosen = choice.ranks_per_cell;
        why = reason_of(choice, steps, world.size(), times);
    }
    world.broadcast(std::span(&chosen, 1));
    if (world.is_root()) reporter.message("ranks per cell: " + why);
    return chosen;
}

// The longest expected first.
std::vector<std::size_t> longest_first(const std::vector<std::size_t>& order,
                                       const std::vector<double>& work) {
    std::vector<std::size_t> places(order.size()), sorted;
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
    std::stable_sort(places.begin(), places.end(), [&](auto a, auto b) { return work[a] > work[b]; });
    for (const std::size_t place : places) sorted.push_back(order[place]);
    return sorted;
}

}  // namespace

ExperimentPlan plan_experiment(const std::vector<Cell>& cells, const std::vector<std::size_t>& to_do,
                               const ExperimentRanks& ranks, Reporter& reporter) {
    std::vector<double> work;
    for (const std::size_t cell : to_do) work.push_back(expected_work(cells[cell].recipe));
    const auto ranks_per_cell = static_cast<int>(decide_ranks_per_cell(cells, to_do, work, ranks, reporter));
    const bool one_by_one = ranks_per_cell == ranks.world.size();
    return {one_by_one ? to_do : longest_first(to_do, work), ranks_per_cell};
}

}  // namespace locus
