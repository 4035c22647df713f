// Sums the gradients of shards in one fixed binary tree, whoever computes them.
#pragma once

#include <memory>
#include <vector>

#include "framework/core/parallel.h"
#include "framework/core/tensor.h"
#include "framework/train/options.h"
#include "framework/train/rank_tree.h"

namespace locus::inline LOCUS_SCALAR {

/// Gradients of the shards 0 .. shards - 1 (a power of two), added pairwise: ((0 + 1) + (2 + 3)) + ... A rank
/// has a contiguous range of shards, its workers contiguous ranges within. A worker adds the complete
/// subtrees of its range as they come; what stays open is finished by all workers in slices of the flat
/// buffer, and then by all ranks. The order of additions depends on the shard numbers only, so the numbers of
/// workers and ranks change no bit (but for Reduction::fast).
class GradientTree {
  public:
    GradientTree(Index flat_size, Index shards, int workers, const Communicator& group = {},
                 Reduction reduction = Reduction::exact);

    Index first_shard(int worker) const { return first_ + (last_ - first_) * worker / workers_; }
    Index last_shard(int worker) const { return first_shard(worker + 1); }

    /// A buffer [flat_size] for the next shard of a worker; what it holds is to be overwritten.
    Tensor open(int worker);

    /// Hands in a shard's gradient, made in the buffer from open(); an empty tensor for a shard without
    /// sequences. REQUIRES: a worker hands in the shards of its range in order.
    void close(int worker, Index shard, Tensor gradient);

    /// The sum over all shards, valid until the next open(). Throws when every shard was empty. All ranks of
    /// the group call it.
    Tensor finish(Workers& workers);

  private:
    struct Node {
        Index begin, size;  // shards covered
        Tensor sum;         // empty: no sequences there
    };
    struct Merge {
        Tensor into, from;
    };
    struct Range {  // one worker's
        std::vector<Node> open;
        std::vector<Tensor> spare;
    };

    struct Owned {
        Node node;
        std::size_t range;  // of the worker that gets the buffer back
    };
    static bool siblings(const Node& left, const Node& right);
    void close_across_workers(Workers& workers);

    Index flat_size_;
    int workers_;
    Reduction reduction_;
    Index first_, last_;  // shards of this rank
    std::vector<Range> ranges_;
    RankTree rank_tree_;
    // of one finish()
    std::vector<Owned> nodes_;
    std::vector<Merge> merges_;
    std::vector<Tensor> sums_;
};

}  // namespace locus::inline LOCUS_SCALAR
