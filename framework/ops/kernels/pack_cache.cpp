#include "framework/ops/kernels/pack_cache.h"

#include "framework/core/arena.h"
#include "framework/core/profile.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace kernels {

PackCache& PackCache::instance() {
    static PackCache& cache = *new PackCache;  // never destroyed: models of static storage end after it
    return cache;
}

void PackCache::watch(const Scalar* begin, Index count) {
    std::unique_lock lock(mutex_);
    ranges_[begin].count = count;
}

void PackCache::changed(const Scalar* begin) {
    std::unique_lock lock(mutex_);
    const auto range = ranges_.find(begin);
    if (range == ranges_.end()) return;
    for (auto& [key, entry] : range->second.entries) entry->valid = false;
}

void PackCache::forget(const Scalar* begin) {
    std::unique_lock lock(mutex_);
    ranges_.erase(begin);
}

const Scalar* PackCache::find(const Key& key, Index size, const std::function<void(Scalar*)>& pack) {
    Entry* entry = nullptr;
    {
        std::shared_lock lock(mutex_);
        const auto after = ranges_.upper_bound(key.data);
        if (after == ranges_.begin()) return nullptr;
        const auto& [begin, range] = *std::prev(after);
        if (key.data >= begin + range.count) return nullptr;
        const auto place = range.entries.find(key);
        if (place != range.entries.end()) entry = place->second.get();
    }
    if (entry == nullptr) {
        std::unique_lock lock(mutex_);
        Range& range = std::prev(ranges_.upper_bound(key.data))->second;
        auto& place = range.entries[key];
        if (!place) {
            const ArenaScope memory(&range.memory);
            place = std::make_unique<Entry>();
            place->packed = Tensor::empty({size});
        }
        entry = place.get();
    }
    std::lock_guard lock(entry->mutex);
    if (!entry->valid) {
        const ProfiledPart timed("pack weights");
        pack(entry->packed.data());
        entry->valid = true;
    }
    return entry->packed.data();
}

}  // namespace kernels
}  // namespace LOCUS_SCALAR
}  // namespace locus
