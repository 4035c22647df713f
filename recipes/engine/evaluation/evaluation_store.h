// The evaluations of a run folder on the disk.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "recipes/engine/evaluation/report.h"
#include "recipes/engine/identity/identity.h"

namespace locus {

/// "same_target.h5", "sliding-64.h5"; of the test split "same_target.test.h5".
std::string losses_file(const ProtocolRun& run);

/// Writes evaluations/summary.json, to_json(report) with each run's file and checksum and signed with what
/// was measured, and before it, per protocol, the tokens' losses: document, index and target [tokens],
/// lengths [lengths], nats [lengths, tokens] in float32. Each file appears whole or not at all. Throws a
/// storage Error.
void save(const EvaluationReport& report, const std::filesystem::path& run_folder,
          const Identity& measured = {});

/// Writes what the recipe did not ask for beside that: evaluations/NAME.json and NAME.h5 for each protocol,
/// of which NAME says the lengths ("sliding-64.lengths-128,256"). Tables do not read them. Returns the names.
std::vector<std::string> save_beside(const EvaluationReport& report, const std::filesystem::path& run_folder,
                                     const Identity& measured);

/// Whether a run folder holds the results of its recipe's evaluation.
bool has_evaluations(const std::filesystem::path& run_folder);

/// Writes the tokens' losses to one file: of several protocols each in a group of its own name.
void write_losses(const EvaluationReport& report, const std::filesystem::path& path);

}  // namespace locus
