// Sums the gradients of shards in one fixed binary tree, whoever computes them.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "framework/core/parallel.h"
#include "framework/core/tensor.h"
#include "framework/train/options.h"
#include "framework/train/rank_tree.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// Gradients of the shards 0 .. shards - 1 (a power of two), added pairwise: ((0 + 1) + (2 + 3)) + ... A rank
/// has a contiguous range of shards, its workers contiguous ranges within; a worker that is through with its
/// own takes over from one that is behind. A worker adds the complete subtrees of its shards as they come;
/// what stays open is finished by all workers in slices of the flat buffer, and then by all ranks. The order
/// of additions depends on the shard numbers only, so the numbers of workers and ranks, and which of them is
/// the faster, change no bit (but for Reduction::fast).
class GradientTree {
  public:
    GradientTree(Index flat_size, Index shards, int workers, const Communicator& group = {},
                 Reduction reduction = Reduction::exact);

    /// Begins a step: every shard of this rank is to be claimed again.
    void start();

    /// The next shard for a worker: of its own range, else the last one of whoever has most left; every
    /// worker keeps one. Nothing when none is left.
    std::optional<Index> claim(int worker);

    /// A buffer [flat_size] for the next shard of a worker; what it holds is to be overwritten.
    MutableTensor open(int worker);

    /// Hands in the gradient of a claimed shard, made in the buffer from open(); an empty tensor for a shard
    /// without sequences.
    void close(int worker, Index shard, MutableTensor gradient);

    /// The sum over all shards, valid until the next start(). Throws when every shard was empty. All ranks of
    /// the group call it.
    Tensor finish(Workers& workers);

  private:
    struct Node {
        Index begin, size;  // shards covered
        MutableTensor sum;  // empty: no sequences there
        int owner;          // the worker whose buffer it is
    };
    struct Merge {
        MutableTensor into;
        Tensor from;
    };
    struct Range {        // one worker's
        Index next, end;  // of its own shards, those that nobody has claimed
        Index kept;       // the one that is never taken over
        std::vector<Node> open;
        std::vector<MutableTensor> spare;
    };
    Range& range(int worker) { return ranges_[static_cast<std::size_t>(worker)]; }
    Index first_shard(int worker) const { return first_ + (last_ - first_) * worker / workers_; }
    static bool siblings(const Node& left, const Node& right);
    void close_across_workers(Workers& workers);

    Index flat_size_;
    int workers_;
    Reduction reduction_;
    Index first_, last_;  // shards of this rank
    std::mutex mutex_;    // of claims and spare buffers
    std::vector<Range> ranges_;
    RankTree rank_tree_;
    // of one finish()
    std::vector<Node> unmerged_, nodes_;
    std::vector<Merge> merges_;
    std::vector<MutableTensor> sums_;
};

}  // namespace LOCUS_SCALAR
}  // namespace locus
