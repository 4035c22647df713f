// An evaluation that was stopped: the losses of the protocols and lengths that it had finished.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "framework/distributed/communicator.h"
#include "recipes/engine/evaluation/report.h"
#include "recipes/engine/measure/windows.h"

namespace locus {

/// Nats of scored tokens, by what was scored. Bit for bit those that were measured, so that an evaluation in
/// parts is that in one piece.
struct EvaluationDraft {
    std::string identity;  // of model, text and kernels: of another one nothing is taken over
    std::map<std::string, std::vector<double>> losses = {};
};

/// The name in a draft of what `windows` score under a protocol.
std::string draft_key(const ProtocolRun& run, std::span<const Window> windows);

/// The draft of this identity in a run folder; an empty one where there is none, another or a damaged one.
/// Rank 0 reads, all get it.
EvaluationDraft load_draft(const std::filesystem::path& run_folder, const std::string& identity,
                           const Communicator& group);

/// Puts it into the run folder. Throws a storage Error.
void save(const EvaluationDraft& draft, const std::filesystem::path& run_folder);

/// Removes that of a run folder, if there is one.
void remove_draft(const std::filesystem::path& run_folder);

}  // namespace locus
