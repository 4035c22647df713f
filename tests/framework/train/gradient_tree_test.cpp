// The tree of gradients: one order of additions, whoever computes the shards.
#include "framework/train/gradient_tree.h"

#include <gtest/gtest.h>

#include <cmath>

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

void expect_tree(Index shards, int threads, Index sequences) {
    Workers workers(threads);
    GradientTree tree(size, shards, threads);
    for (int round = 0; round < 2; ++round) {  // the second meets buffers that were used before
        workers.run([&](int worker) {
            for (Index shard = tree.first_shard(worker); shard < tree.last_shard(worker); ++shard) {
                if (sequences * shard / shards == sequences * (shard + 1) / shards) {
                    tree.close(worker, shard, Tensor());
                    continue;
                }
                const Tensor gradient = tree.open(worker);
                for (Index i = 0; i < size; ++i) gradient.data()[i] = number(shard, i);
                tree.close(worker, shard, gradient);
            }
        });
        const Tensor sum = tree.finish(workers);
        for (Index i = 0; i < size; ++i) {
            bool any = false;
            ASSERT_EQ(sum.data()[i], by_definition(0, shards, i, sequences, shards, any))
                << shards << " shards, " << threads << " threads, " << sequences << " sequences, number "
                << i;
        }
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

TEST(GradientTree, RefusesCountsThatAreNoPowerOfTwo) {
    EXPECT_THROW(GradientTree(size, 12, 1), Error);
}

TEST(GradientTree, RefusesAStepWithoutAnySequence) {
    Workers workers(2);
    GradientTree tree(size, 2, 2);
    workers.run([&](int worker) { tree.close(worker, worker, Tensor()); });
    EXPECT_THROW(tree.finish(workers), Error);
}

}  // namespace
}  // namespace locus
