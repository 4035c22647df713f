// A vector of working memory: from the current arena within a step, else from the heap.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <vector>

#include "framework/core/arena.h"

namespace locus {

/// Standard allocator over the arena that was current when it was made; without one, the heap.
template <typename T>
class WorkAllocator {
  public:
    using value_type = T;
    using propagate_on_container_move_assignment = std::true_type;
    using propagate_on_container_copy_assignment = std::false_type;

    WorkAllocator() : arena_(Arena::current()) {}
    template <typename U>
    WorkAllocator(const WorkAllocator<U>& other) : arena_(other.arena()) {}

    T* allocate(std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        return static_cast<T*>(arena_ != nullptr ? arena_->allocate(bytes) : ::operator new(bytes));
    }
    void deallocate(T* memory, std::size_t) {
        if (arena_ == nullptr) ::operator delete(memory);  // an arena takes everything back at its reset
    }
    WorkAllocator select_on_container_copy_construction() const { return WorkAllocator(); }
    Arena* arena() const { return arena_; }
    bool operator==(const WorkAllocator& other) const { return arena_ == other.arena_; }

  private:
    Arena* arena_;
};

template <typename T>
using WorkVector = std::vector<T, WorkAllocator<T>>;

}  // namespace locus
