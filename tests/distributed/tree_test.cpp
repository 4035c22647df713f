// The tree of gradients over ranks: bit for bit the sum of one process.
#include <gtest/gtest.h>

#include <cmath>

#include "framework/core/random.h"
#include "framework/train/gradient_tree.h"
#include "tests/distributed/session.h"

namespace locus {
namespace {

// Numbers of very different magnitude, so that another order of additions would show.
Scalar number(Index shard, Index i) {
    RandomStream stream(3, Purpose::test, {static_cast<std::uint64_t>(shard), static_cast<std::uint64_t>(i)});
    return static_cast<Scalar>(stream.normal() * std::pow(10.0, stream.normal() * 3));
}

bool is_empty(Index shard, Index shards, Index sequences) {
    return sequences * shard / shards == sequences * (shard + 1) / shards;
}

std::vector<Scalar> sum_of(const Communicator& group, Index size, Index shards, Index sequences, int threads,
                           Reduction reduction = Reduction::exact) {
    Workers workers(threads);
    GradientTree tree(size, shards, threads, group, reduction);
    std::vector<Scalar> result;
    for (int round = 0; round < 2; ++round) {  // the second meets buffers that were used before
        tree.start();
        workers.run([&](int worker) {
            while (const std::optional<Index> claimed = tree.claim(worker)) {
                const Index shard = *claimed;
                if (is_empty(shard, shards, sequences)) {
                    tree.close(worker, shard, {});
                    continue;
                }
                const MutableTensor gradient = tree.open(worker);
                for (Index i = 0; i < size; ++i) gradient.data()[i] = number(shard, i);
                tree.close(worker, shard, gradient);
            }
        });
        const auto sum = tree.finish(workers).values();
        result.assign(sum.begin(), sum.end());
    }
    return result;
}

TEST(GradientTreeOverRanks, RanksAndThreadsChangeNoBit) {
    for (const Index size : {5, 64, 333}) {
        for (const Index shards : {1, 2, 4, 16, 32}) {
            for (const Index sequences : {1L, 3L, 7L, shards}) {
                const auto one = sum_of({}, size, shards, sequences, 1);
                for (const int threads : {1, 2, 3})
                    EXPECT_EQ(sum_of(world(), size, shards, sequences, threads), one)
                        << size << " numbers, " << shards << " shards, " << sequences << " sequences";
            }
        }
    }
}

TEST(GradientTreeOverRanks, AnotherOrderWouldShow) {
    // Added one shard after the other instead: the test above can tell orders apart.
    const auto tree = sum_of({}, 64, 16, 16, 1);
    Index different = 0;
    for (Index i = 0; i < 64; ++i) {
        Scalar sum = 0;
        for (Index shard = 0; shard < 16; ++shard) sum += number(shard, i);
        different += sum != tree[static_cast<std::size_t>(i)] ? 1 : 0;
    }
    EXPECT_GT(different, 0);
}

TEST(GradientTreeOverRanks, TheFastSumDiffersByRoundingOnly) {
    for (const Index sequences : {1, 5, 16}) {
        const auto exact = sum_of({}, 64, 16, sequences, 1);
        const auto fast = sum_of(world(), 64, 16, sequences, 2, Reduction::fast);
        for (std::size_t i = 0; i < exact.size(); ++i) {
            Scalar magnitude = 0;
            for (Index shard = 0; shard < 16; ++shard)
                if (!is_empty(shard, 16, sequences))
                    magnitude += std::abs(number(shard, static_cast<Index>(i)));
            EXPECT_NEAR(fast[i], exact[i], 1e-6 * magnitude);
        }
    }
}

}  // namespace
}  // namespace locus
