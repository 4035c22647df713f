// Runs every cell of a recipe: training, evaluation, and at the end the table.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "framework/distributed/communicator.h"
#include "recipes/engine/config/vary.h"
#include "recipes/engine/run/reporter.h"

namespace locus {

struct ExperimentResult {
    Index done = 0, skipped = 0;      // cells that were trained and evaluated now, and before
    Index elsewhere = 0;              // cells that another process works on
    std::vector<std::string> failed;  // a line each
    bool interrupted = false;
};

/// Who works: groups of ranks take cells from one queue, the longest expected first.
struct ExperimentRanks {
    Communicator world = {};
    Index ranks_per_cell = 0;  // 0: what ends first, by measurement
    int threads = 1;           // of a rank
};

/// Trains and evaluates the cells that are not done yet, each in out/NAME; one that was stopped half-way goes
/// on from its checkpoint, and one that another process works on is left to it. A cell that fails on all
/// ranks of its group is reported and the others go on; what only some ranks of a group meet is thrown.
/// Throws a storage Error before any work when `out` holds cells of another experiment, a usage Error for
/// more ranks per cell than there are. All ranks get the result. `part`: cells that were run before into
/// `out` are of the same experiment and stay in its table.
ExperimentResult run_experiment(const std::vector<Cell>& cells, const std::filesystem::path& out,
                                const ExperimentRanks& ranks, Reporter& reporter, bool part = false);

}  // namespace locus
