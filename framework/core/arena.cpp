#include "framework/core/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

namespace locus {

namespace {

constexpr std::size_t first_region = std::size_t{16} << 20;
constexpr std::size_t padding = 64;  // kernels may load one vector past the end of a block

thread_local Arena* current_arena = nullptr;

std::size_t block_size(std::size_t bytes) {
    return round_up(bytes + padding, arena_alignment);
}

}  // namespace

struct Arena::Region {
    explicit Region(std::size_t bytes) : size(round_up(bytes, huge_page)) {
        void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        madvise(memory, size, MADV_HUGEPAGE);  // advice only: fewer page faults where the kernel agrees
        begin = static_cast<std::byte*>(memory);
        ASAN_POISON_MEMORY_REGION(begin, size);
    }
    ~Region() {
        ASAN_UNPOISON_MEMORY_REGION(begin, size);
        munmap(begin, size);
    }
    std::byte* begin = nullptr;
    std::size_t size;
};

Arena::Arena() = default;
Arena::~Arena() = default;

void* Arena::allocate(std::size_t bytes) {
    const std::size_t size = block_size(bytes);
    const auto reusable = free_.find(size);
    if (reusable != free_.end() && !reusable->second.empty()) {
        void* block = reusable->second.back();
        reusable->second.pop_back();
        ASAN_UNPOISON_MEMORY_REGION(block, size);
        return block;
    }
    if (regions_.empty() || offset_ + size > regions_.back()->size) grow(size);
    void* block = regions_.back()->begin + offset_;
    offset_ += size;
    peak_ = std::max(peak_, used());
    ASAN_UNPOISON_MEMORY_REGION(block, size);
    return block;
}

void Arena::grow(std::size_t bytes) {
    const std::size_t before = regions_.empty() ? 0 : regions_.back()->size;
    used_before_ += offset_;
    offset_ = 0;
    regions_.push_back(std::make_unique<Region>(std::max({bytes, 2 * before, first_region})));
}

void Arena::recycle(void* block, std::size_t bytes) {
    const std::size_t size = block_size(bytes);
    ASAN_POISON_MEMORY_REGION(block, size);
    free_[size].push_back(block);
}

void Arena::reset() {
    for (auto& [size, blocks] : free_) blocks.clear();
    if (regions_.size() > 1) {  // one region for all of it from the next step on
        std::size_t total = 0;
        for (const auto& region : regions_) total += region->size;
        regions_.clear();
        regions_.push_back(std::make_unique<Region>(total));
    }
    if (!regions_.empty()) ASAN_POISON_MEMORY_REGION(regions_.back()->begin, regions_.back()->size);
    offset_ = 0;
    used_before_ = 0;
}

Arena* Arena::current() {
    return current_arena;
}

ArenaScope::ArenaScope(Arena* arena) : before_(current_arena) {
    current_arena = arena;
}
ArenaScope::~ArenaScope() {
    current_arena = before_;
}

}  // namespace locus
