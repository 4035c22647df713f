#include "framework/train/rank_tree.h"

#include <algorithm>
#include <utility>

#include "framework/core/arena.h"
#include "framework/core/error.h"
#include "framework/core/profile.h"
#include "framework/ops/kernels/elementwise.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

constexpr const char* communication = "communication";  // in a profile
constexpr Index slice_step = 16;                        // numbers: slices begin on a cache line

struct ShardRun {
    Index begin, size;
};

// Puts a run of shards behind the others and closes what it completes; visit(left, right) by place.
template <typename Visit>
void push_run(std::vector<std::pair<ShardRun, std::size_t>>& open, ShardRun run, std::size_t place,
              Visit visit) {
    open.emplace_back(run, place);
    while (open.size() >= 2) {
        auto& [left, left_place] = open[open.size() - 2];
        const auto& [right, right_place] = open.back();
        const bool siblings = left.size == right.size && left.begin % (2 * left.size) == 0;
        if (!siblings) return;
        visit(left_place, right_place);
        left.size *= 2;
        open.pop_back();
    }
}

std::span<std::byte> bytes_of(Scalar* begin, Index count) {
    return std::as_writable_bytes(std::span(begin, static_cast<std::size_t>(count)));
}

}  // namespace

RankTree::RankTree(Index flat_size, Index shards, const Communicator& group)
    : flat_size_(flat_size), group_(group) {
    plan(shards);
    if (group.alone()) return;
    const int ranks = group.size();
    const Index steps = (flat_size + slice_step - 1) / slice_step;
    for (int rank = 0; rank <= ranks; ++rank)
        slices_.push_back(std::min(flat_size, steps * rank / ranks * slice_step));
    const auto nodes = static_cast<std::size_t>(first_node_.back());
    const Index others = first_node_.back() - nodes_of(group.rank());
    ArenaScope heap(nullptr);
    received_ = Tensor::zeros({std::max<Index>(1, others * slice(group.rank()))});
    sum_ = Tensor::zeros({flat_size});
    present_.resize(nodes);
    parts_.resize(nodes);
    additions_.reserve(merges_.size());
}

void RankTree::plan(Index shards) {
    std::vector<std::pair<ShardRun, std::size_t>> all;
    first_node_ = {0};
    const int ranks = group_.size();
    for (int rank = 0; rank < ranks; ++rank) {
        std::vector<std::pair<ShardRun, std::size_t>> own;
        for (Index shard = first_shard(shards, rank, ranks); shard < first_shard(shards, rank + 1, ranks);
             ++shard)
            push_run(own, {shard, 1}, 0, [](std::size_t, std::size_t) {});
        auto node = static_cast<std::size_t>(first_node_.back());
        for (const auto& [run, unused] : own)
            push_run(all, run, node++, [&](std::size_t left, std::size_t right) {
                merges_.push_back({left, right});
            });
        first_node_.push_back(static_cast<Index>(node));
    }
}

Index RankTree::nodes_of(int rank) const {
    const auto place = static_cast<std::size_t>(rank);
    return first_node_[place + 1] - first_node_[place];
}

Index RankTree::slice(int rank) const {
    const auto place = static_cast<std::size_t>(rank);
    return slices_[place + 1] - slices_[place];
}

// This rank's slice of every node, in parts_.
void RankTree::collect(std::span<const MutableTensor> own) {
    const auto me = static_cast<std::size_t>(group_.rank());
    const auto first = static_cast<std::size_t>(first_node_[me]);
    for (std::size_t i = 0; i < own.size(); ++i) present_[first + i] = own[i] ? 1 : 0;
    const ProfiledPart communicating(communication);
    group_.gather(std::span(present_), first_node_);

    std::vector<Message> sends, receives;
    Scalar* free = received_.data();
    for (int rank = 0; rank < group_.size(); ++rank) {
        const auto r = static_cast<std::size_t>(rank);
        for (auto node = static_cast<std::size_t>(first_node_[r]);
             node < static_cast<std::size_t>(first_node_[r + 1]); ++node) {
            if (present_[node] == 0) continue;
            if (rank == group_.rank()) {
                parts_[node] = own[node - first].data() + slices_[me];
                continue;
            }
            parts_[node] = free;
            receives.push_back({rank, bytes_of(free, slice(group_.rank()))});
            free += slice(group_.rank());
        }
        if (rank == group_.rank()) continue;
        for (const MutableTensor& sum : own) {
            if (sum) sends.push_back({rank, bytes_of(sum.data() + slices_[r], slice(rank))});
        }
    }
    group_.exchange(sends, receives);
}

// The additions of the tree on this rank's slice; its result is at the first node.
void RankTree::add_slices(Workers& workers) {
    additions_.clear();
    for (const Merge& merge : merges_) {
        if (present_[merge.right] == 0) continue;
        if (present_[merge.left] != 0)
            additions_.push_back({parts_[merge.left], parts_[merge.right]});
        else
            parts_[merge.left] = parts_[merge.right];  // an empty subtree adds nothing, not even a zero
        present_[merge.left] = 1;
    }
    const Index size = slice(group_.rank());
    workers.run([&](int worker) {
        const Index begin = size * worker / workers.count(), end = size * (worker + 1) / workers.count();
        for (const auto& [into, from] : additions_)
            kernels::accumulate(from + begin, into + begin, end - begin);
    });
}

Tensor RankTree::finish(std::span<const MutableTensor> own, Workers& workers) {
    require(static_cast<Index>(own.size()) == nodes_of(group_.rank()),
            "gradients: expected {} open subtrees, found {}", nodes_of(group_.rank()), own.size());
    if (group_.alone()) return own.front();
    collect(own);
    add_slices(workers);
    if (present_.front() == 0) return {};
    const auto me = static_cast<std::size_t>(group_.rank());
    std::copy_n(parts_.front(), slice(group_.rank()), sum_.data() + slices_[me]);
    const ProfiledPart communicating(communication);
    group_.gather(sum_.values(), slices_);
    return sum_;
}

Tensor RankTree::finish_fast(std::span<const MutableTensor> own) {
    if (group_.alone()) return own.front();
    bool any = false;
    for (const MutableTensor& part : own) {
        if (!part) continue;
        if (any)
            kernels::accumulate(part.data(), sum_.data(), flat_size_);
        else
            sum_.copy_from(part);
        any = true;
    }
    if (!any) sum_.fill(0);
    const ProfiledPart communicating(communication);
    group_.sum(sum_.values());
    return sum_;
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
