#include "tests/allocation/counting_allocator.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <limits>

namespace {

constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();
std::atomic<std::size_t> watched_above = nobody;
std::atomic<long> seen = 0;
std::array<std::atomic<std::size_t>, 16> sizes;

void note(std::size_t bytes) {
    if (bytes <= watched_above.load(std::memory_order_relaxed)) return;
    const auto place = static_cast<std::size_t>(seen.fetch_add(1));
    if (place < sizes.size()) sizes[place] = bytes;
}

}  // namespace

namespace locus {

Watch::Watch(std::size_t limit) {
    seen = 0;
    watched_above = limit;
}
Watch::~Watch() {
    watched_above = nobody;
}
long Watch::count() const {
    return seen;
}
std::vector<std::size_t> Watch::first_sizes() const {
    const auto found = std::min<std::size_t>(sizes.size(), static_cast<std::size_t>(seen.load()));
    return {sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(found)};
}

}  // namespace locus

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)

bool locus::counting_works() {
    return false;
}

#else

bool locus::counting_works() {
    return true;
}

// The program's own definitions come before those of the C library, for shared libraries as well; operator
// new ends in malloc.
extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

void* malloc(std::size_t bytes) {
    note(bytes);
    return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) {
    note(count * bytes);
    return __libc_calloc(count, bytes);
}
void* realloc(void* block, std::size_t bytes) {
    note(bytes);
    return __libc_realloc(block, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) {
    note(bytes);
    return __libc_memalign(alignment, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
    note(bytes);
    return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) {
    note(bytes);
    *block = __libc_memalign(alignment, bytes);
    return *block == nullptr ? ENOMEM : 0;
}
void free(void* block) {
    __libc_free(block);
}
void* mmap(void* address, std::size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
    note(bytes);
    return reinterpret_cast<void*>(syscall(SYS_mmap, address, bytes, protection, flags, file, offset));
}

}  // extern "C"

#endif
