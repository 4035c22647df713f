#include "framework/train/gradient_tree.h"

#include <utility>

#include "framework/core/arena.h"
#include "framework/ops/kernels/elementwise.h"

namespace locus::inline LOCUS_SCALAR {

GradientTree::GradientTree(Index flat_size, Index shards, int workers)
    : flat_size_(flat_size), shards_(shards), workers_(workers), ranges_(static_cast<std::size_t>(workers)) {
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

Tensor GradientTree::finish(Workers& workers) {
    // The open subtrees of all ranges in order of their shards, and the additions that close them.
    std::vector<std::pair<Node, int>> nodes;  // with the worker that owns the buffer
    std::vector<Merge> merges;
    for (int worker = 0; worker < workers_; ++worker) {
        Range& range = ranges_[static_cast<std::size_t>(worker)];
        for (Node& node : range.open) {
            nodes.emplace_back(std::move(node), worker);
            while (nodes.size() >= 2 && siblings(nodes[nodes.size() - 2].first, nodes.back().first)) {
                auto [right, owner] = std::move(nodes.back());
                nodes.pop_back();
                auto& [left, left_owner] = nodes.back();
                left.size *= 2;
                if (!left.sum) {
                    left.sum = std::move(right.sum);
                    left_owner = owner;
                } else if (right.sum) {
                    merges.push_back({left.sum, right.sum});
                    ranges_[static_cast<std::size_t>(owner)].spare.push_back(std::move(right.sum));
                }
            }
        }
        range.open.clear();
    }
    require(nodes.size() == 1 && nodes.front().first.size == shards_ && nodes.front().first.sum,
            "gradients: not every shard was handed in, or all were empty");
    workers.run([&](int worker) {
        const Index begin = flat_size_ * worker / workers.count(),
                    end = flat_size_ * (worker + 1) / workers.count();
        for (const Merge& merge : merges) {
            kernels::accumulate(merge.from.data() + begin, merge.into.data() + begin, end - begin);
        }
    });
    Tensor sum = nodes.front().first.sum;
    ranges_[static_cast<std::size_t>(nodes.front().second)].spare.push_back(sum);
    return sum;
}

}  // namespace locus::inline LOCUS_SCALAR
