// The evaluations of a run folder on the disk.
#pragma once

#include <filesystem>
#include <string>

#include "recipes/engine/evaluation/evaluation.h"

namespace locus {

/// "same_target.h5", "sliding-64.h5"; of the test split "same_target.test.h5".
std::string losses_file(const ProtocolRun& run);

/// Writes evaluations/summary.json, to_json(report) with each run's file and checksum, and before it, per
/// protocol, the tokens' losses: document, index and target [tokens], lengths [lengths], nats [lengths,
/// tokens] in float32. Each file appears whole or not at all. Throws a storage Error.
void save(const EvaluationReport& report, const std::filesystem::path& run_folder);

}  // namespace locus
