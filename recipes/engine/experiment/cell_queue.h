// Cells of an experiment, handed out to groups of ranks as these become free.
#pragma once

#include <optional>
#include <thread>
#include <vector>

#include "framework/distributed/communicator.h"

namespace locus {

/// World rank 0 keeps the list. It trains cells itself, so it answers the other groups whenever its work
/// calls serve(): between steps, and while it evaluates.
class CellQueue {
  public:
    /// `group`: this rank's part of `world`; `order`: the cells, the first to be done first.
    CellQueue(const Communicator& world, const Communicator& group, std::vector<std::size_t> order);

    /// The next cell, the same on all ranks of the group; nothing when all were handed out.
    std::optional<std::size_t> next();

    /// Answers groups that wait. Cheap; does nothing on other ranks and in other threads than the first.
    void serve();

    /// All ranks, also of a group that leaves early: waits until every group has left or knows that there is
    /// no more.
    void close();

    int groups() const { return groups_; }

  private:
    long take();

    Communicator world_, group_;
    std::vector<std::size_t> order_;
    std::size_t given_ = 0;
    int groups_ = 0;
    int waiting_groups_ = 0;  // besides the first, that were not told yet that there is no more
    bool told_ = false;
    std::thread::id thread_ = std::this_thread::get_id();
};

}  // namespace locus
