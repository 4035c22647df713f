#include "framework/core/arena.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "framework/core/tensor.h"
#include "framework/core/work_vector.h"

namespace locus {
namespace {

bool aligned(const void* block) {
    return reinterpret_cast<std::uintptr_t>(block) % arena_alignment == 0;
}

TEST(Arena, HandsOutTheSameMemoryEveryStep) {
    Arena arena;
    void* first = arena.allocate(100);
    void* second = arena.allocate(1);
    EXPECT_TRUE(aligned(first));
    EXPECT_TRUE(aligned(second));
    EXPECT_GE(static_cast<std::byte*>(second) - static_cast<std::byte*>(first), 100 + 64);
    const std::size_t used = arena.used();
    arena.reset();
    EXPECT_EQ(arena.used(), 0U);
    EXPECT_EQ(arena.allocate(100), first);
    EXPECT_EQ(arena.allocate(1), second);
    EXPECT_EQ(arena.used(), used);
    EXPECT_EQ(arena.peak(), used);
}

TEST(Arena, RecyclesBlocksOfOneSize) {
    Arena arena;
    void* block = arena.allocate(1000);
    arena.recycle(block, 1000);
    const std::size_t used = arena.used();
    EXPECT_NE(arena.allocate(2000), block);
    EXPECT_EQ(arena.allocate(1000), block);
    EXPECT_NE(arena.allocate(1000), block);
    EXPECT_GT(arena.used(), used);
    arena.recycle(block, 1000);
    arena.reset();
    EXPECT_EQ(arena.allocate(1000), block);  // the first of the region, not a recycled one
    EXPECT_NE(arena.allocate(1000), block);
}

TEST(Arena, GrowsToOneRegionThatHoldsAStep) {
    Arena arena;
    const std::size_t block = std::size_t{9} << 20;
    for (int i = 0; i < 8; ++i) static_cast<char*>(arena.allocate(block))[block - 1] = 1;
    const std::size_t used = arena.used();
    EXPECT_GE(used, 8 * block);
    arena.reset();
    auto* before = static_cast<std::byte*>(arena.allocate(block));
    for (int i = 1; i < 8; ++i) {  // contiguous from now on
        auto* next = static_cast<std::byte*>(arena.allocate(block));
        EXPECT_LT(next - before, static_cast<std::ptrdiff_t>(block + 256));
        EXPECT_GT(next, before);
        before = next;
    }
}

TEST(Arena, ScopesNest) {
    EXPECT_EQ(Arena::current(), nullptr);
    Arena arena;
    {
        ArenaScope scope(&arena);
        EXPECT_EQ(Arena::current(), &arena);
        {
            ArenaScope heap(nullptr);
            EXPECT_EQ(Arena::current(), nullptr);
        }
        EXPECT_EQ(Arena::current(), &arena);
    }
    EXPECT_EQ(Arena::current(), nullptr);
}

TEST(Arena, VectorsKeepTheMemoryThatTheyWereMadeWith) {
    Arena arena;
    WorkVector<int> inside;
    {
        ArenaScope scope(&arena);
        WorkVector<int> made(10, 7);
        EXPECT_GT(arena.used(), 0U);
        inside = std::move(made);
        EXPECT_EQ(inside.get_allocator().arena(), &arena);
    }
    EXPECT_EQ(inside[9], 7);
    const WorkVector<int> copy(inside);  // made outside: on the heap
    EXPECT_EQ(copy.get_allocator().arena(), nullptr);
    arena.reset();
    EXPECT_EQ(copy[9], 7);
}

TEST(Tensor, LivesOnTheHeapOutsideAnArena) {
    Arena arena;
    MutableTensor outside = Tensor::full({3, 4}, 2);
    const MutableTensor copy = outside;
    copy.data()[0] = 5;
    EXPECT_EQ(outside.data()[0], 5);  // handles share
    EXPECT_EQ(arena.used(), 0U);
    EXPECT_TRUE(aligned(outside.data()));
    const MutableTensor own = outside.clone();
    outside.fill(0);
    EXPECT_EQ(own.data()[0], 5);
    EXPECT_EQ(own.rows(1, 2).shape(), (Shape{2, 4}));
    EXPECT_EQ(own.rows(1, 2).data(), own.data() + 4);
    EXPECT_THROW(own.rows(2, 2), Error);
    EXPECT_THROW(own.reshaped({5}), Error);
    EXPECT_THROW(own.copy_from(Tensor::zeros({4, 3})), Error);
    EXPECT_THROW(Tensor::of({2}, std::vector<Scalar>{1}), Error);
    ArenaScope scope(&arena);
    const MutableTensor inside = Tensor::zeros({3});
    EXPECT_GT(arena.used(), 0U);
    EXPECT_EQ(inside.data()[2], 0);
}

// What a function only reads it cannot come to write.
static_assert(!std::is_constructible_v<MutableTensor, Tensor>);
static_assert(!std::is_assignable_v<MutableTensor&, Tensor>);
static_assert(std::is_same_v<decltype(std::declval<const Tensor&>().data()), const Scalar*>);
static_assert(std::is_same_v<decltype(std::declval<MutableTensor&>().reshaped({})), MutableTensor>);

TEST(Tensor, OnlyArenaMemoryIsRecycled) {
    Arena arena;
    MutableTensor outside = Tensor::zeros({4, 8});
    const ArenaScope scope(&arena);
    MutableTensor inside = Tensor::zeros({4, 8});
    std::vector<Scalar> elsewhere(64);
    std::vector<Tensor> borrowed = {Tensor::view(elsewhere.data(), {4, 8}),
                                    Tensor::view(std::as_const(elsewhere).data(), {32}),
                                    Tensor::view(outside.data(), {4, 8}),
                                    Tensor::view(inside.data(), {32}),
                                    Tensor::view(elsewhere.data(), {2, 16}).rows(1, 1),
                                    Tensor::view(elsewhere.data(), {2, 16}).reshaped({32}),
                                    inside.rows(0, 4),
                                    inside.rows(1, 3).reshaped({24}),
                                    outside.rows(1, 2),
                                    outside.reshaped({32})};
    for (Tensor& tensor : borrowed) {
        const Scalar* data = tensor.data();
        const Shape shape = tensor.shape();
        tensor.recycle();
        EXPECT_FALSE(tensor);
        EXPECT_NE(Tensor::empty(shape).data(), data);
    }
    const Scalar* own = inside.data();
    inside.reshaped({32}).recycle();
    EXPECT_EQ(Tensor::empty({4, 8}).data(), own);
}

}  // namespace
}  // namespace locus
