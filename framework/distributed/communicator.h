// A group of ranks that work on one thing. A group of one does nothing, correctly, and knows no MPI.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "framework/core/scalar.h"

namespace locus {

/// A run of bytes to or from another rank.
struct Message {
    int rank = 0;
    std::span<std::byte> bytes = {};
};

/// Handle to a group; copies are the same group. Except for rank(), size() and the like, a call is one for
/// all ranks of the group, in the same order, each from the thread that made the Session.
class Communicator {
  public:
    /// A group of one.
    Communicator() = default;

    int rank() const { return rank_; }
    int size() const { return size_; }
    bool alone() const { return size_ == 1; }
    bool is_root() const { return rank_ == 0; }

    /// Waits for all ranks, for long if it must: it sleeps.
    void barrier() const;

    /// The maximum of the ranks' numbers.
    long largest(long own) const;
    bool any(bool own) const { return largest(own ? 1 : 0) != 0; }

    /// Rank 0's bytes, of equal number on all ranks, and rank 0's text.
    void broadcast(std::span<std::byte> bytes) const;
    std::string broadcast(const std::string& text) const;
    template <typename T>
    void broadcast(std::span<T> values) const {
        broadcast(std::as_writable_bytes(values));
    }

    /// The texts of all ranks, by rank.
    std::vector<std::string> gather(const std::string& text) const;

    /// Fills in what the other ranks hold: elements begins[r] .. begins[r + 1] of `all` are those of rank r.
    template <typename T>
    void gather(std::span<T> all, std::span<const Index> begins) const {
        gather(all.data(), sizeof(T), begins);
    }

    /// Sends and receives all at once, and waits. Between two ranks messages arrive in the order of the
    /// lists, so that the n-th to a rank fills the n-th that this rank awaits.
    void exchange(std::span<const Message> sends, std::span<const Message> receives) const;

    /// Element-wise sums over the ranks in MPI's order: the bits may depend on the number of ranks.
    void sum(std::span<float> values) const;
    void sum(std::span<double> values) const;

    /// The ranks of equal colour, in their order here.
    Communicator split(int colour) const;

    /// Ranks on this machine whose allowed cores overlap with this rank's, itself included.
    int sharing_cores() const;

    // Messages outside of the common order: answered by one rank whenever it looks.
    void post(int rank, int tag, std::span<const std::byte> bytes) const;  // waits until it is on its way
    void fetch(int rank, int tag, std::span<std::byte> bytes) const;       // waits for one
    /// A message that is there, of any rank: its sender; -1 where there is none.
    int try_fetch(int tag, std::span<std::byte> bytes) const;

    /// Ends all processes of the job at once.
    [[noreturn]] void abort(int code) const;

  private:
    friend class Session;
    struct Group;  // the MPI communicator
    explicit Communicator(std::shared_ptr<const Group> group);
    void gather(void* all, std::size_t element, std::span<const Index> begins) const;

    std::shared_ptr<const Group> group_;
    int rank_ = 0, size_ = 1;
};

/// This process's part in an MPI job: MPI begins with it and ends with it. Started by hand, without a
/// launcher, MPI is never begun. At most one per process.
class Session {
  public:
    /// Throws a usage Error when launcher and MPI library do not belong together.
    Session();
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    const Communicator& world() const { return world_; }

  private:
    Communicator world_;
    bool begun_ = false;
};

}  // namespace locus
