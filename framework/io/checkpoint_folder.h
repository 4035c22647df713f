// The checkpoints of one run, of which the newest stay, and one every so many steps.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "framework/io/checkpoint.h"

namespace locus {

/// A folder of files step_00000500.h5. One process at a time may save into it.
class CheckpointFolder {
  public:
    /// `keep` (at least 1) is how many checkpoints stay; besides them all of steps that are multiples of
    /// `keep_every` (0: none). The folder is made by the first save.
    CheckpointFolder(std::filesystem::path folder, Index keep, Index keep_every = 0);

    std::filesystem::path path_of(std::int64_t step) const;

    /// Saves, then removes what is no longer needed: older checkpoints that are not to be kept, those of
    /// later steps (they belong to a future that this save replaces) and what an interrupted save left.
    /// Throws a storage Error; the other checkpoints are then as they were.
    std::filesystem::path save(const Checkpoint& checkpoint) const;

    /// The files, oldest step first. Whether they are whole, only reading them tells.
    std::vector<std::filesystem::path> files() const;

    struct Found {
        std::filesystem::path path;
        Checkpoint checkpoint;
        std::vector<std::string> warnings;  // newer files that were damaged, a line each
    };

    /// The newest checkpoint that reads well; nothing when there is none at all. Throws a storage Error when
    /// there are some and each is damaged: to begin anew is not for the program to decide.
    std::optional<Found> newest() const;

  private:
    std::optional<std::filesystem::path> newest_but(const std::set<std::filesystem::path>& tried) const;

    std::filesystem::path folder_;
    Index keep_, keep_every_;
};

}  // namespace locus
