// The tree of gradients: one order of additions, whoever computes the shards.
#include "framework/train/gradient_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "framework/core/random.h"

namespace locus {
namespace {

constexpr Index size = 37;

// Numbers of very different magnitude, so that another order of additions would show.
Scalar number(Index shard, Index i) {
    RandomStream stream(3, Purpose::test, {static_cast<std::uint64_t>(shard), static_cast<std::uint64_t>(i)});
    return static_cast<Scalar>(stream.normal() * std::pow(10.0, stream.normal() * 3));
}

// The sum as the definition has it: halves of halves. NaN stands for a shard without sequences.
Scalar by_definition(Index begin, Index count, Index i, Index sequences, Index shards, bool& any) {
    if (count == 1) {
        any = sequences * begin / shards != sequences * (begin + 1) / shards;
        return any ? number(begin, i) : 0;
    }
    bool left_any = false, right_any = false;
    const Scalar left = by_definition(begin, count / 2, i, sequences, shards, left_any);
    const Scalar right = by_definition(begin + count / 2, count / 2, i, sequences, shards, right_any);
    any = left_any || right_any;
    if (!left_any) return right;
    return right_any ? left + right : left;
}

// A worker's next shard, if there is one.
std::optional<Index> add_shard(GradientTree& tree, int worker, Index shards, Index sequences) {
    const std::optional<Index> shard = tree.claim(worker);
    if (!shard) return shard;
    if (sequences * *shard / shards == sequences * (*shard + 1) / shards) {
        tree.close(worker, *shard, {});
    } else {
        const MutableTensor gradient = tree.open(worker);
        for (Index i = 0; i < size; ++i) gradient.data()[i] = number(*shard, i);
        tree.close(worker, *shard, gradient);
    }
    return shard;
}

void expect_sum(GradientTree& tree, Workers& workers, Index shards, Index sequences) {
    const Tensor sum = tree.finish(workers);
    for (Index i = 0; i < size; ++i) {
        bool any = false;
        ASSERT_EQ(sum.data()[i], by_definition(0, shards, i, sequences, shards, any))
            << shards << " shards, " << workers.count() << " threads, " << sequences << " sequences, number "
            << i;
    }
}

void expect_tree(Index shards, int threads, Index sequences) {
    Workers workers(threads);
    GradientTree tree(size, shards, threads);
    for (int round = 0; round < 2; ++round) {  // the second meets buffers that were used before
        tree.start();
        workers.run([&](int worker) {
            while (add_shard(tree, worker, shards, sequences)) continue;
        });
        expect_sum(tree, workers, shards, sequences);
    }
}

TEST(GradientTree, AddsInOneOrderForEveryNumberOfThreads) {
    for (Index shards : {1, 2, 4, 8, 16}) {
        for (int threads : {1, 2, 3, 4, 5, 7}) expect_tree(shards, threads, shards);
    }
}

TEST(GradientTree, SkipsShardsWithoutSequences) {
    for (Index sequences : {1, 3, 5, 9, 11}) {
        for (int threads : {1, 2, 3, 5}) expect_tree(16, threads, sequences);
    }
}

TEST(GradientTree, AddsInOneOrderWhoeverIsTheFaster) {
    constexpr Index shards = 16;
    for (int threads : {2, 3, 4, 7}) {
        Workers workers(threads);
        GradientTree tree(size, shards, threads);
        for (std::uint64_t round = 0; round < 50; ++round) {
            const Index sequences = round % 2 == 0 ? shards : 11;
            RandomStream stream(5, Purpose::test, {round});
            tree.start();
            std::vector<Index> taken;
            std::vector<int> busy(static_cast<std::size_t>(threads));
            for (int worker = 0; worker < threads; ++worker) busy[static_cast<std::size_t>(worker)] = worker;
            while (!busy.empty()) {  // one of the workers goes on; the lower its number, the more often
                const double place = stream.uniform() * stream.uniform();
                const auto at = static_cast<std::size_t>(place * static_cast<double>(busy.size()));
                const std::optional<Index> shard = add_shard(tree, busy[at], shards, sequences);
                if (shard) {
                    taken.push_back(*shard);
                } else {
                    busy.erase(busy.begin() + static_cast<std::ptrdiff_t>(at));
                }
            }
            std::sort(taken.begin(), taken.end());
            std::vector<Index> all(shards);
            std::iota(all.begin(), all.end(), Index{0});
            ASSERT_EQ(taken, all);
            expect_sum(tree, workers, shards, sequences);
        }
    }
}

TEST(GradientTree, AFastWorkerLeavesTheOthersOneShardEach) {
    GradientTree tree(size, 16, 3);
    tree.start();
    Index taken = 0;
    while (tree.claim(1)) ++taken;
    EXPECT_EQ(taken, 14);
    EXPECT_EQ(tree.claim(0), 0);
    EXPECT_EQ(tree.claim(2), 10);
    EXPECT_FALSE(tree.claim(0) || tree.claim(1) || tree.claim(2));
}

TEST(GradientTree, RefusesCountsThatAreNoPowerOfTwo) {
    EXPECT_THROW(GradientTree(size, 12, 1), Error);
}

TEST(GradientTree, RefusesAStepWithoutAnySequence) {
    Workers workers(2);
    GradientTree tree(size, 2, 2);
    tree.start();
    workers.run([&](int worker) { tree.close(worker, *tree.claim(worker), {}); });
    EXPECT_THROW(tree.finish(workers), Error);
}

}  // namespace
}  // namespace locus
