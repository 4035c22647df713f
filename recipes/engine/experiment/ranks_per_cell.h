// How many ranks train one cell of an experiment: what measurement says will end first.
#pragma once

#include <string>
#include <vector>

#include "framework/distributed/communicator.h"
#include "recipes/engine/config/recipe.h"

namespace locus {

/// The group of `world` that this rank works in: as many groups of at least `ranks_per_cell` ranks as there
/// can be.
Communicator group_of(const Communicator& world, int ranks_per_cell);

/// A training step on `ranks` ranks while all groups of that size work, the slowest group's: seconds.
struct StepTime {
    int ranks = 1;
    double seconds = 0;
};

/// The size of the groups that end an experiment first, by simulation, and the seconds that it would take.
struct RankChoice {
    int ranks_per_cell = 1;
    double seconds = 0;
};

/// Cells of so many `steps` of the timed kind, the longest first, on groups of each timed size of `ranks`
/// ranks. Of equal ends the smaller groups.
RankChoice choose_ranks_per_cell(const std::vector<double>& steps, int ranks,
                                 const std::vector<StepTime>& times);

/// "1 of 4, by measurement: 1: 12 ms per step, all cells in 2 min; 2: ..."
std::string reason_of(const RankChoice& choice, const std::vector<double>& steps, int ranks,
                      const std::vector<StepTime>& times);

/// Times a few steps of the recipe's model on drawn tokens, on groups of 1, 2, 4, ... and all ranks. All
/// ranks call it and get the same. Throws what making the model throws.
std::vector<StepTime> time_steps(const Recipe& recipe, const Communicator& world, int threads);

}  // namespace locus
