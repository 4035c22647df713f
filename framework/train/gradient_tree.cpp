#include "framework/train/gradient_tree.h"

#include <utility>

#include "framework/core/arena.h"
#include "framework/ops/kernels/elementwise.h"

namespace locus::inline LOCUS_SCALAR {

GradientTree::GradientTree(Index flat_size, Index shards, int workers, const Communicator& group,
                           Reduction reduction)
    : flat_size_(flat_size),
      workers_(workers),
      reduction_(reduction),
      first_(RankTree::first_shard(shards, group.rank(), group.size())),
      last_(RankTree::first_shard(shards, group.rank() + 1, group.size())),
      ranges_(static_cast<std::size_t>(workers)),
      rank_tree_(flat_size, shards, group) {
    require(shards >= 1 && (shards & (shards - 1)) == 0, "shards: expected a power of two, found {}", shards);
}

bool GradientTree::siblings(const Node& left, const Node& right) {
    return left.size == right.size && left.begin + left.size == right.begin &&
           left.begin % (2 * left.size) == 0;
}

Tensor GradientTree::open(int worker) {
    Range& range = ranges_[static_cast<std::size_t>(worker)];
    if (range.spare.empty()) {
        ArenaScope heap(nullptr);
        range.spare.push_back(Tensor::zeros({flat_size_}));  // the padding between parameters stays zero
    }
    Tensor buffer = std::move(range.spare.back());
    range.spare.pop_back();
    return buffer;
}

void GradientTree::close(int worker, Index shard, Tensor gradient) {
    Range& range = ranges_[static_cast<std::size_t>(worker)];
    range.open.push_back({shard, 1, std::move(gradient)});
    while (range.open.size() >= 2) {
        Node &left = range.open[range.open.size() - 2], &right = range.open.back();
        if (!siblings(left, right)) break;
        left.size *= 2;
        if (!left.sum) {
            left.sum = std::move(right.sum);
        } else if (right.sum) {
            kernels::accumulate(right.sum.data(), left.sum.data(), flat_size_);
            range.spare.push_back(std::move(right.sum));
        }
        range.open.pop_back();
    }
}

// The open subtrees of all workers in order of their shards, in nodes_, after the additions that close them.
void GradientTree::close_across_workers(Workers& workers) {
    nodes_.clear();
    merges_.clear();
    for (std::size_t worker = 0; worker < ranges_.size(); ++worker) {
        for (Node& node : ranges_[worker].open) {
            nodes_.push_back({std::move(node), worker});
            while (nodes_.size() >= 2 && siblings(nodes_[nodes_.size() - 2].node, nodes_.back().node)) {
                Owned right = std::move(nodes_.back());
                nodes_.pop_back();
                Owned& left = nodes_.back();
                left.node.size *= 2;
                if (!left.node.sum) {
                    left.node.sum = std::move(right.node.sum);
                    left.range = right.range;
                } else if (right.node.sum) {
                    merges_.push_back({left.node.sum, right.node.sum});
                    ranges_[right.range].spare.push_back(std::move(right.node.sum));
                }
            }
        }
        ranges_[worker].open.clear();
    }
    workers.run([&](int worker) {
        const Index begin = flat_size_ * worker / workers.count(),
                    end = flat_size_ * (worker + 1) / workers.count();
        for (const Merge& merge : merges_) {
            kernels::accumulate(merge.from.data() + begin, merge.into.data() + begin, end - begin);
        }
    });
}

Tensor GradientTree::finish(Workers& workers) {
    close_across_workers(workers);
    Index covered = 0;
    sums_.clear();
    for (Owned& own : nodes_) {
        covered += own.node.size;
        sums_.push_back(own.node.sum);
        if (own.node.sum) ranges_[own.range].spare.push_back(std::move(own.node.sum));
    }
    require(covered == last_ - first_, "gradients: expected {} shards, found {}", last_ - first_, covered);
    const Tensor sum =
        reduction_ == Reduction::exact ? rank_tree_.finish(sums_, workers) : rank_tree_.finish_fast(sums_);
    require(static_cast<bool>(sum), "gradients: every shard was empty");
    return sum;
}

}  // namespace locus::inline LOCUS_SCALAR
