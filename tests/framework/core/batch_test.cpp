#include "framework/core/batch.h"

#include <gtest/gtest.h>

#include <numeric>

namespace locus {
namespace {

template <typename Number>
std::vector<Number> listed(const BatchArray<Number>& array) {
    return {array.numbers().begin(), array.numbers().end()};
}

// Three sequences of four tokens with all that a batch may hold; a token has two patches.
Batch full_batch() {
    std::vector<Token> tokens(12), targets(12);
    std::iota(tokens.begin(), tokens.end(), 0);
    std::iota(targets.begin(), targets.end(), 100);
    targets[5] = Batch::no_target;
    Batch batch = Batch::of_text(3, tokens, targets);
    std::vector<float> patches(24), weights(12);
    std::iota(patches.begin(), patches.end(), 0.5F);
    std::iota(weights.begin(), weights.end(), 1.0F);
    batch.inputs["patches"] = BatchArray<float>(3, patches);
    batch.weights = BatchArray<float>(3, weights);
    batch.segments = BatchArray<std::int32_t>(3, {0, 0, 1, 1, 0, 1, 1, 2, -1, 0, 0, 0});
    std::vector<std::int64_t> positions(12);
    std::iota(positions.begin(), positions.end(), 1000);
    batch.positions = Positions(3, 4, 1, positions);
    return batch;
}

TEST(Batch, SliceCutsEveryArrayAlikeAndSharesTheMemory) {
    const Batch whole = full_batch();
    const Batch part = whole.slice(1, 2);
    EXPECT_EQ(part.sequences, 2);
    EXPECT_EQ(part.first, 1);
    EXPECT_EQ(listed(part.ids()), (std::vector<Token>{4, 5, 6, 7, 8, 9, 10, 11}));
    EXPECT_EQ(listed(part.reals("patches")).front(), 8.5F);
    EXPECT_EQ(part.reals("patches").numbers().size(), 16U);
    EXPECT_EQ(listed(part.targets).front(), 104);
    EXPECT_EQ(listed(part.weights).front(), 5.0F);
    EXPECT_EQ(listed(part.segments), (std::vector<std::int32_t>{0, 1, 1, 2, -1, 0, 0, 0}));
    EXPECT_EQ(part.positions(0, 0), 1004);
    EXPECT_EQ(part.ids().numbers().data(), whole.ids().numbers().data() + 4);
    const Batch last = part.slice(1, 1);
    EXPECT_EQ(last.first, 2);
    EXPECT_EQ(listed(last.ids()), (std::vector<Token>{8, 9, 10, 11}));
    EXPECT_NO_THROW(last.check());
}

TEST(Batch, RunCutsTheTokensOfEverySequence) {
    const Batch part = full_batch().slice(1, 2).run(1, 2);
    EXPECT_EQ(part.length, 2);
    EXPECT_EQ(listed(part.ids()), (std::vector<Token>{5, 6, 9, 10}));
    EXPECT_EQ(listed(part.reals("patches")),
              (std::vector<float>{10.5F, 11.5F, 12.5F, 13.5F, 18.5F, 19.5F, 20.5F, 21.5F}));
    EXPECT_EQ(listed(part.segments), (std::vector<std::int32_t>{1, 1, 0, 0}));
    EXPECT_EQ(listed(part.weights), (std::vector<float>{6, 7, 10, 11}));
    EXPECT_EQ(part.positions(1, 0), 1009);
    EXPECT_NO_THROW(part.check());
}

TEST(Batch, WeighsWhatItAsks) {
    Batch batch = full_batch();
    EXPECT_EQ(batch.weight(), 78 - 6);  // 1 + ... + 12, without that of the missing target
    EXPECT_EQ(batch.slice(0, 1).weight() + batch.slice(1, 1).weight() + batch.slice(2, 1).weight(),
              batch.weight());
    batch.weights = {};
    EXPECT_EQ(batch.weight(), 11);
    batch.targets = {};
    EXPECT_EQ(batch.weight(), 0);
}

TEST(Batch, RefusesWhatDoesNotFit) {
    const Batch batch = full_batch();
    EXPECT_THROW(batch.slice(2, 2), Error);
    EXPECT_THROW(batch.run(3, 2), Error);
    EXPECT_THROW(batch.ids("patches"), Error);
    EXPECT_THROW(batch.ids("pixels"), Error);
    EXPECT_THROW(batch.reals("tokens"), Error);
    EXPECT_THROW(Batch::of_text(5, std::vector<Token>(12)), Error);
    const auto refused = [&](const auto& change) {
        Batch changed = batch;
        change(changed);
        EXPECT_THROW(changed.check(), Error);
    };
    refused([](Batch& b) { b.positions = Positions::consecutive(3); });
    refused([](Batch& b) { b.positions = b.positions.rows(0, 2); });
    refused([](Batch& b) { b.segments = b.segments.slice(0, 2); });
    refused([](Batch& b) { b.targets = b.targets.slice(0, 2); });
    refused([](Batch& b) { b.weights = b.weights.run(4, 0, 2); });
}

TEST(Batch, MemoryIsUsedAgainOnlyWhereNobodyElseLooksAtIt) {
    BatchArray<Token> array(2, {1, 2, 3, 4});
    const Token* memory = array.numbers().data();
    array.renew(2, 2)[0] = 9;
    EXPECT_EQ(array.numbers().data(), memory);
    const BatchArray<Token> part = array.slice(0, 1);
    array.renew(2, 2)[0] = 7;
    EXPECT_EQ(part[0], 9);
    EXPECT_NE(array.numbers().data(), memory);
}

}  // namespace
}  // namespace locus
