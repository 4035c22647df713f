// Evaluates a trained model as its recipe says, and keeps the results in its run folder.
#pragma once

#include <filesystem>

#include "recipes/engine/evaluation/report.h"
#include "recipes/engine/run/train_run.h"

namespace locus {

/// Evaluates a model as its recipe's `evaluate` says. An evaluation that is stopped leaves what it has
/// finished in the run folder, from where the next one goes on, and throws an interrupted Error. Throws a
/// data Error.
EvaluationReport evaluate_run(const Recipe& recipe, const Transformer& model,
                              const std::filesystem::path& folder, Workbench& bench, Reporter& reporter);

/// What an evaluation of `model` stands on; `folder` is its run's.
Identity measured_with(const Transformer& model, const LoadedData& data, const std::filesystem::path& folder);

/// Puts the results of an evaluation into a run folder: the table is made of them. Throws a storage Error.
void keep_evaluation(const EvaluationReport& report, const std::filesystem::path& folder,
                     const Identity& measured);

}  // namespace locus
