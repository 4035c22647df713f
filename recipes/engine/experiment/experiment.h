// Runs every cell of a recipe: training, evaluation, and at the end the table.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "recipes/engine/evaluation/report.h"
#include "recipes/engine/run/train_run.h"

namespace locus {

struct ExperimentResult {
    Index done = 0, skipped = 0;      // cells that were trained and evaluated now, and before
    Index elsewhere = 0;              // cells that another process works on
    std::vector<std::string> failed;  // a line each
    bool interrupted = false;
};

/// What an evaluation of `model` stands on; `folder` is its run's.
Identity measured_with(const Transformer& model, const LoadedData& data, const std::filesystem::path& folder);

/// Puts the results of an evaluation into a run folder: the table is made of them. Throws a storage Error.
void keep_evaluation(const EvaluationReport& report, const std::filesystem::path& folder,
                     const Identity& measured);

}  // namespace locus

namespace locus {

/// Evaluates a model as its recipe's `evaluate` says. An evaluation that is stopped leaves what it has
/// finished in the run folder, from where the next one goes on, and throws an interrupted Error. Throws a
/// data Error.
EvaluationReport evaluate_run(const Recipe& recipe, const Transformer& model,
                              const std::filesystem::path& folder, Workbench& bench, Reporter& reporter);

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
