// In which order the cells of an experiment are begun, and by how many ranks each.
#pragma once

#include <vector>

#include "recipes/engine/experiment/experiment.h"

namespace locus {

/// Whether some cell begins with the weights of another, which has to be done by then.
bool begin_with_others(const std::vector<Cell>& cells);

struct ExperimentPlan {
    std::vector<std::size_t> order;  // of cells
    int ranks_per_cell = 1;
};

/// For the cells `to_do`: the longest expected first, or as they are written where all ranks train one cell.
/// The ranks per cell that are not given are measured, and said with the reason. All ranks call it and get
/// the same.
ExperimentPlan plan_experiment(const std::vector<Cell>& cells, const std::vector<std::size_t>& to_do,
                               const ExperimentRanks& ranks, Reporter& reporter);

}  // namespace locus
