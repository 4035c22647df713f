// The upper part of the tree of gradients, whose subtrees lie on different ranks.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "framework/core/parallel.h"
#include "framework/core/tensor.h"
#include "framework/distributed/communicator.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// Each rank holds the sums of the complete subtrees of its contiguous range of shards. A rank owns a slice
/// of the flat buffer: it gets that slice of every open subtree, adds them in the order of the tree, and the
/// finished slices are gathered. The order of additions depends on the shards only, not on the ranks.
class RankTree {
  public:
    RankTree(Index flat_size, Index shards, const Communicator& group);

    /// Shards of a rank.
    static Index first_shard(Index shards, int rank, int ranks) { return shards * rank / ranks; }

    /// Open subtrees of a rank, in order of their shards.
    Index nodes_of(int rank) const;

    /// `own`: the sums [flat_size] of this rank's open subtrees, empty where they have no sequences; they are
    /// overwritten. Returns the sum over all shards, valid until the next call, or an empty tensor when every
    /// shard was empty.
    Tensor finish(std::span<const MutableTensor> own, Workers& workers);

    /// The same sum, by MPI's all-reduce: its bits may depend on the number of ranks.
    Tensor finish_fast(std::span<const MutableTensor> own);

  private:
    struct Merge {
        std::size_t left, right;  // nodes; the sum is the new left
    };
    Index slice(int rank) const;
    void plan(Index shards);
    void collect(std::span<const MutableTensor> own);
    void add_slices(Workers& workers);

    Index flat_size_;
    Communicator group_;
    std::vector<Index> first_node_;  // [ranks + 1]: of each rank, in the order of the shards
    std::vector<Merge> merges_;      // of all nodes, in the order that the tree has
    std::vector<Index> slices_;      // [ranks + 1]: where each rank's slice begins
    MutableTensor received_;         // slices of the other ranks' nodes
    MutableTensor sum_;              // [flat_size]
    // of one call, by node
    std::vector<unsigned char> present_;
    std::vector<Scalar*> parts_;                                // this rank's slice of each node
    std::vector<std::pair<Scalar*, const Scalar*>> additions_;  // into, from
};

}  // namespace LOCUS_SCALAR
}  // namespace locus
