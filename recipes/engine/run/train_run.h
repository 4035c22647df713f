// Trains one cell into its run folder.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "framework/core/profile.h"
#include "framework/io/checkpoint.h"
#include "models/transformer.h"
#include "recipes/engine/config/vary.h"
#include "recipes/engine/identity/identity.h"
#include "recipes/engine/run/reporter.h"
#include "recipes/engine/run/workbench.h"

namespace locus {

/// Where to begin: from the newest checkpoint of the folder, anew, or from a given file.
struct Resume {
    enum class Kind { automatic, never, file } kind = Kind::automatic;
    std::filesystem::path path = {};
};

/// A model and what is left to do with it.
struct TrainedRun {
    std::unique_ptr<Transformer> model;
    Index step = 0;            // updates done
    bool finished = false;     // false: the reporter asked to stop; the state is saved
    std::string profile = {};  // the table, where one was asked for and a step was run
};

/// Trains `cell` in `folder`, which then holds recipe.yaml, manifest.json, metrics.jsonl and checkpoints/. A
/// folder that holds a run of the same recipe goes on from its checkpoint. Throws a storage Error when the
/// folder belongs to another recipe, a data Error, or a numeric Error when the run diverges (the manifest
/// then says so). The caller holds the lock of the folder. The ranks of the bench's group train it together,
/// to the same bits as one; rank 0 alone touches the folder. With `profile` the steps of rank 0 are measured:
/// folder/profile.json.
TrainedRun train_run(const Cell& cell, Index index, const std::filesystem::path& folder, const Resume& resume,
                     Workbench& bench, Reporter& reporter, Profile* profile = nullptr);

/// The trained model of a run folder, from its newest checkpoint. Throws a storage Error when there is none.
struct OpenedRun {
    Recipe recipe;
    std::unique_ptr<Transformer> model;
    Index step = 0;
    Identity recorded = {};            // what its manifest, or else its checkpoint, says that it stands on
    std::vector<Change> changes = {};  // of these, under which it is used now
    std::vector<std::string> warnings = {};  // these, and newer checkpoints that could not be read
};

/// What a checkpoint says of itself: tokenizer and corpus.
Identity identity_of(const Checkpoint& checkpoint);

/// Throws a data Error where the text is another one than a run was trained on, unless `another_corpus`;
/// else the changes.
std::vector<Change> admit_text(const OpenedRun& run, const LoadedData& data, const std::string& place,
                               bool another_corpus = false);

/// Throws, on every rank, unless all have the same things.
void require_alike_identity(const Communicator& group, const Identity& identity);

/// Rank 0 of a group reads; the others get the run from it.
OpenedRun open_run(const std::filesystem::path& folder, const Communicator& group = {});

/// The same from one checkpoint file, which holds its recipe.
OpenedRun open_checkpoint(const std::filesystem::path& path, const Communicator& group = {});

}  // namespace locus
