// Runs every cell of a recipe: training, evaluation, and at the end the table.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "recipes/engine/evaluation.h"
#include "recipes/engine/train_run.h"

namespace locus {

struct ExperimentResult {
    Index done = 0, skipped = 0;      // cells that were trained and evaluated now, and before
    std::vector<std::string> failed;  // a line each
    bool interrupted = false;
};

/// Puts the results of an evaluation into a run folder: the table is made of them. Throws a storage Error.
void keep_evaluation(const EvaluationReport& report, const std::filesystem::path& folder);

}  // namespace locus

namespace locus::inline LOCUS_SCALAR {

/// Evaluates a model as its recipe's `evaluate` says; `name` stands in the progress. Throws a data Error.
EvaluationReport evaluate_run(const Recipe& recipe, const Transformer& model, const std::string& name,
                              Workbench& bench, Reporter& reporter);

/// Trains and evaluates the cells that are not done yet, each in out/NAME; one that was stopped half-way goes
/// on from its checkpoint. A cell that fails is reported and the others go on. Throws a storage Error before
/// any work when `out` holds cells of another experiment.
ExperimentResult run_experiment(const std::vector<Cell>& cells, const std::filesystem::path& out,
                                Workbench& bench, Reporter& reporter);

}  // namespace locus::inline LOCUS_SCALAR
