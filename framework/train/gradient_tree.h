// Sums the gradients of shards in one fixed binary tree, whoever computes them.
#pragma once

#include <memory>
#include <vector>

#include "framework/core/parallel.h"
#include "framework/core/tensor.h"

namespace locus::inline LOCUS_SCALAR {

/// Gradients of the shards 0 .. shards - 1 (a power of two), added pairwise: ((0 + 1) + (2 + 3)) + ... A
/// worker adds the complete subtrees of its contiguous range as they come; what stays open is finished by all
/// workers in slices of the flat buffer. The order of additions depends on the shard numbers only, so the
/// number of workers changes no bit.
class GradientTree {
  public:
    GradientTree(Index flat_size, Index shards, int workers);

    Index first_shard(int worker) const { return shards_ * worker / workers_; }
    Index last_shard(int worker) const { return shards_ * (worker + 1) / workers_; }

    /// A buffer [flat_size] for the next shard of a worker; what it holds is to be overwritten.
    Tensor open(int worker);

    /// Hands in a shard's gradient, made in the buffer from open(); an empty tensor for a shard without
    /// sequences. REQUIRES: a worker hands in the shards of its range in order.
    void close(int worker, Index shard, Tensor gradient);

    /// The sum over all shards, valid until the next open(). Throws when every shard was empty.
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

    static bool siblings(const Node& left, const Node& right);

    Index flat_size_, shards_;
    int workers_;
    std::vector<Range> ranges_;
};

}  // namespace locus::inline LOCUS_SCALAR
