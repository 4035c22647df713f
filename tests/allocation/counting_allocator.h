// Counts what a program takes from the system while it is told to watch.
#pragma once

#include <cstddef>
#include <vector>

namespace locus {

/// The sizes of all blocks above `limit` that any thread asked malloc and its kin, operator new or mmap for
/// while a Watch lived. One at a time.
class Watch {
  public:
    explicit Watch(std::size_t limit);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    long count() const;
    std::vector<std::size_t> first_sizes() const;
};

/// False where a sanitizer owns the allocator.
bool counting_works();

}  // namespace locus
