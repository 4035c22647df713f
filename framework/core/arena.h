// Memory of one worker for one step: bump allocation, freed all at once.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

namespace locus {

/// Bytes between a block's begin and the next multiple that holds `bytes` and the padding for vector
/// over-reads.
inline constexpr std::size_t arena_alignment = 64;

/// What large memory begins at and fills, where the kernel has pages of this size: a walk through the page
/// tables for every 4 KiB takes long.
inline constexpr std::size_t huge_page = std::size_t{2} << 20;

constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

/// Hands out 64-byte-aligned memory from one region and takes it all back at reset(). Blocks that are known
/// to be dead earlier (gradients of intermediate results) can be recycled, which keeps the backward pass in
/// cache. The first steps may grow the arena; from then on nothing is allocated. Not thread-safe: one
/// per worker. With the address sanitizer, memory that was reset or recycled is poisoned: a handle that
/// outlives its step is found.
class Arena {
  public:
    Arena();
    ~Arena();
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    void* allocate(std::size_t bytes);
    void recycle(void* block, std::size_t bytes);  // `bytes` as it was asked for
    void reset();

    std::size_t used() const { return used_before_ + offset_; }
    std::size_t peak() const { return peak_; }

    /// The arena from which the calling thread takes tensors; null: from the heap.
    static Arena* current();

  private:
    friend class ArenaScope;
    struct Region;

    void grow(std::size_t bytes);

    std::vector<std::unique_ptr<Region>> regions_;  // the last is the one in use
    std::size_t offset_ = 0;                        // in the last region
    std::size_t used_before_ = 0;                   // in the others
    std::size_t peak_ = 0;
    std::map<std::size_t, std::vector<void*>> free_;  // by rounded size
};

/// Makes an arena (or, with null, the heap) the current one of this thread until the end of the scope.
class ArenaScope {
  public:
    explicit ArenaScope(Arena* arena);
    ~ArenaScope();
    ArenaScope(const ArenaScope&) = delete;
    ArenaScope& operator=(const ArenaScope&) = delete;

  private:
    Arena* before_;
};

}  // namespace locus
