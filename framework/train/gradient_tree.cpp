#include "framework/train/gradient_tree.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "framework/core/arena.h"
#include "framework/ops/kernels/elementwise.h"

namespace locus {
inline namespace LOCUS_SCALAR {

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

void GradientTree::start() {
    for (int worker = 0; worker < workers_; ++worker) {
        Range& own = range(worker);
        own.next = own.kept = first_shard(worker);
        own.end = first_shard(worker + 1);
        own.open.clear();
    }
}

std::optional<Index> GradientTree::claim(int worker) {
    const std::lock_guard lock(mutex_);
    Range& own = range(worker);
    if (own.next < own.end) return own.next++;
    const auto left = [](const Range& r) { return r.end - std::max(r.next, r.kept + 1); };
    Range& other = *std::max_element(ranges_.begin(), ranges_.end(),
                                     [&](const Range& a, const Range& b) { return left(a) < left(b); });
    if (left(other) <= 0) return std::nullopt;
    return --other.end;
}

MutableTensor GradientTree::open(int worker) {
    const std::lock_guard lock(mutex_);
    Range* from = &range(worker);
    for (Range& other : ranges_) {
        if (!from->spare.empty()) break;
        from = &other;
    }
    if (from->spare.empty()) {
        ArenaScope heap(nullptr);
        return Tensor::zeros({flat_size_});  // the padding between parameters stays zero
    }
    MutableTensor buffer = std::move(from->spare.back());
    from->spare.pop_back();
    return buffer;
}

void GradientTree::close(int worker, Index shard, MutableTensor gradient) {
    Range& own = range(worker);
    own.open.push_back({shard, 1, std::move(gradient), worker});
    while (own.open.size() >= 2) {
        Node &left = own.open[own.open.size() - 2], &right = own.open.back();
        // shards taken over come from the last to the first
        const bool turned = siblings(right, left);
        if (!turned && !siblings(left, right)) break;
        if (turned) std::swap(left, right);
        left.size *= 2;
        if (!left.sum) {
            left.sum = std::move(right.sum);
        } else if (right.sum) {
            kernels::accumulate(right.sum.data(), left.sum.data(), flat_size_);
            const std::lock_guard lock(mutex_);
            own.spare.push_back(std::move(right.sum));
        }
        own.open.pop_back();
    }
}

// The open subtrees of all workers in order of their shards, in nodes_, after the additions that close them.
void GradientTree::close_across_workers(Workers& workers) {
    nodes_.clear();
    merges_.clear();
    unmerged_.clear();
    for (Range& own : ranges_) {
        std::move(own.open.begin(), own.open.end(), std::back_inserter(unmerged_));
        own.open.clear();
    }
    std::sort(unmerged_.begin(), unmerged_.end(),
              [](const Node& a, const Node& b) { return a.begin < b.begin; });
    for (Node& node : unmerged_) {
        nodes_.push_back(std::move(node));
        while (nodes_.size() >= 2 && siblings(nodes_[nodes_.size() - 2], nodes_.back())) {
            Node right = std::move(nodes_.back());
            nodes_.pop_back();
            Node& left = nodes_.back();
            left.size *= 2;
            if (!left.sum) {
                left.sum = std::move(right.sum);
                left.owner = right.owner;
            } else if (right.sum) {
                merges_.push_back({left.sum, right.sum});
                range(right.owner).spare.push_back(std::move(right.sum));
            }
        }
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
    for (Node& node : nodes_) {
        covered += node.size;
        sums_.push_back(node.sum);
        if (node.sum) range(node.owner).spare.push_back(std::move(node.sum));
    }
    require(covered == last_ - first_, "gradients: expected {} shards, found {}", last_ - first_, covered);
    const Tensor sum =
        reduction_ == Reduction::exact ? rank_tree_.finish(sums_, workers) : rank_tree_.finish_fast(sums_);
    require(static_cast<bool>(sum), "gradients: every shard was empty");
    return sum;
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
