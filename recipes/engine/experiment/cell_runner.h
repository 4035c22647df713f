// Cells of one experiment, a cell at a time, beside other processes that work on the same ones.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "framework/io/folder_lock.h"
#include "recipes/engine/experiment/experiment.h"
#include "recipes/engine/identity/identity.h"
#include "recipes/engine/run/workbench.h"

namespace locus {

/// Whether a run folder's manifest says that the cell was trained and evaluated.
bool is_done(const std::filesystem::path& folder);

/// What a run folder's manifest recorded.
Identity recorded_in(const std::filesystem::path& folder);

/// Trains and evaluates cells, each under the lock of its folder. All ranks of the bench's group call it.
class CellRunner {
  public:
    CellRunner(const std::vector<Cell>& cells, const std::filesystem::path& out, Workbench& bench,
               Reporter& reporter, ExperimentResult& result)
        : cells_(cells), out_(out), bench_(bench), reporter_(reporter), result_(result) {}

    /// What a cell that is done stands on: those to come must share its text. Rank 0 alone needs to know.
    void add_done(const Cell& cell, Identity recorded) { done_.emplace_back(&cell, std::move(recorded)); }

    /// A cell that another process works on is left to it, and waited for where another cell begins with it.
    void run(std::size_t number);

  private:
    enum class Found : Index { to_do, done, elsewhere };

    Found state_of(const Cell& cell, FolderLock& lock);
    void await_source(const std::string& name);
    void train_and_evaluate(const Cell& cell, Index index);
    void admit_beside_done(const Cell& cell);

    const std::vector<Cell>& cells_;
    std::filesystem::path out_;
    Workbench& bench_;
    Reporter& reporter_;
    ExperimentResult& result_;
    std::vector<std::pair<const Cell*, Identity>> done_;
    std::set<std::string> left_, told_;  // by name: left to other processes, and said so
};

}  // namespace locus
