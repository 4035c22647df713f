#include "models/kv_cache.h"

#include <algorithm>
#include <limits>

#include "framework/core/arena.h"
#include "framework/core/error.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

constexpr Index all_of_them = std::numeric_limits<Index>::max() / 4;

// How far behind a query the oldest key stands that this mask lets it see.
Index reach_of(const Mask& mask) {
    return mask.window == 0 ? all_of_them : (mask.window - 1) * mask.dilation;
}

void check_options(const CacheOptions& options, const Mask& mask) {
    require(mask.causal, "cache: the mask is not causal: earlier tokens would have to see later ones");
    require((options.length > 0) != options.growing && options.length >= 0,
            "cache: expected a length of at least 1 or growing, found length {} and growing {}",
            options.length, options.growing);
    require(options.window >= 0 && options.sinks >= 0, "cache: window {} and sinks {} must not be negative",
            options.window, options.sinks);
    require(mask.window == 0 || options.window <= mask.window,
            "cache: its window {} exceeds the mask's window {}", options.window, mask.window);
    require(options.sinks == 0 || options.window > 0 || mask.window > 0,
            "cache: {} sinks, but a layer without a window: it sees every token", options.sinks);
}

}  // namespace

KvCache::KvCache(const CacheShape& shape, const CacheOptions& options, std::vector<Mask> masks, bool raw_keys)
    : shape_(shape), options_(options), masks_(std::move(masks)), raw_keys_(raw_keys) {
    require(shape.sequences >= 1, "cache: expected at least 1 sequence, found {}", shape.sequences);
    require(static_cast<Index>(masks_.size()) == shape.layers, "cache: {} masks for {} layers", masks_.size(),
            shape.layers);
    for (Mask& mask : masks_) {
        check_options(options, mask);
        if (options.window > 0) mask.window = options.window;
        if (mask.window > 0) mask.global = std::max(mask.global, options.sinks);
        kept_ = std::max(kept_, mask.global);
        span_ = std::max(span_, reach_of(mask));
    }
    const auto sequences = static_cast<std::size_t>(shape.sequences);
    lengths_.resize(sequences);
    positions_.resize(sequences);
    keys_.resize(static_cast<std::size_t>(shape.layers));
    values_.resize(static_cast<std::size_t>(shape.layers));
}

Index KvCache::rolled_from(Index length) const {
    return std::max(kept_, length - span_);
}

Index KvCache::held_of(Index length) const {
    return std::min(length, kept_) + std::max<Index>(0, length - rolled_from(length));
}

Mask KvCache::mask(Index layer, Index sequence) const {
    Mask mask = masks_[static_cast<std::size_t>(layer)];
    mask.query_offset = held(sequence);  // indices of what is gone close up: order and distance stay
    return mask;
}

// Calls use(slot, count) for the runs of slots that hold a sequence of `length` tokens, oldest first.
template <typename Use>
void KvCache::for_each_run(Index length, const Use& use) const {
    if (length <= bound()) return use(0, length);
    use(0, kept_);
    if (span_ == 0) return;
    const Index oldest = kept_ + (rolled_from(length) - kept_) % span_;
    use(oldest, bound() - oldest);
    use(kept_, oldest - kept_);
}

void KvCache::reserve(Index tokens) {
    const Index needed = std::min(tokens, bound());
    if (needed <= capacity_) return;
    const ArenaScope heap(nullptr);
    const Index capacity = std::min(bound(), std::max(needed, 2 * capacity_)), width = shape_.head_dim;
    for (std::vector<MutableTensor>* stores : {&keys_, &values_}) {
        for (MutableTensor& store : *stores) {
            MutableTensor larger = Tensor::empty({shape_.sequences, shape_.kv_heads, capacity, width});
            for (Index r = 0; r < rows() && store; ++r)
                std::copy_n(store.data() + r * capacity_ * width, capacity_ * width,
                            larger.data() + r * capacity * width);
            store = larger;
        }
    }
    capacity_ = capacity;
}

Tensor KvCache::joined(const Tensor& store, Index sequence, const Tensor& fresh) const {
    const Index past = held(sequence), more = fresh.size(2), width = shape_.head_dim;
    MutableTensor all = Tensor::empty({fresh.size(0), shape_.kv_heads, past + more, width});
    Scalar* to = all.data();
    for (Index r = 0; r < fresh.size(0) * shape_.kv_heads; ++r) {
        for_each_run(length(sequence), [&](Index slot, Index count) {
            const Index row = sequence * shape_.kv_heads + r;
            std::copy_n(store.data() + (row * capacity_ + slot) * width, count * width, to);
            to += count * width;
        });
        std::copy_n(fresh.data() + r * more * width, more * width, to);
        to += more * width;
    }
    return all;
}

void KvCache::keep(const MutableTensor& store, Index sequence, const Tensor& fresh) const {
    const Index more = fresh.size(2), width = shape_.head_dim, begin = length(sequence);
    const Index oldest = rolled_from(begin + more);
    for (Index r = 0; r < fresh.size(0) * shape_.kv_heads; ++r) {
        const Index row = sequence * shape_.kv_heads + r;
        for (Index t = 0; t < more; ++t) {
            const Index index = begin + t;
            if (index >= kept_ && index < oldest) continue;  // no later query sees it
            const Index slot = index < kept_ ? index : kept_ + (index - kept_) % span_;
            std::copy_n(fresh.data() + (r * more + t) * width, width,
                        store.data() + (row * capacity_ + slot) * width);
        }
    }
}

std::pair<Tensor, Tensor> KvCache::extend(Index layer, Index sequence, const Tensor& keys,
                                          const Tensor& values) {
    const auto at = static_cast<std::size_t>(layer);
    reserve(length(sequence) + keys.size(2));
    std::pair<Tensor, Tensor> all{joined(keys_[at], sequence, keys), joined(values_[at], sequence, values)};
    keep(keys_[at], sequence, keys);
    keep(values_[at], sequence, values);
    return all;
}

Positions KvCache::positions(Index sequence, Index sequences, const Positions& fresh) const {
    require(axes_ == 0 || fresh.axes() == axes_, "cache: positions of {} axes, expected {}", fresh.axes(),
            axes_);
    const auto first = positions_.begin() + sequence, last = first + sequences;
    const bool shared =
        fresh.batch() == 1 && std::all_of(first, last, [&](const auto& p) { return p == *first; });
    const Index rows = shared ? 1 : sequences, more = fresh.length() * fresh.axes();
    std::vector<std::int64_t> all;
    for (Index b = 0; b < rows; ++b) {
        all.insert(all.end(), first[b].begin(), first[b].end());
        all.insert(all.end(), fresh.row(b), fresh.row(b) + more);
    }
    return Positions(rows, held(sequence) + fresh.length(), fresh.axes(), std::move(all));
}

void KvCache::advance(Index sequence, Index sequences, const Positions& fresh) {
    axes_ = fresh.axes();
    for (Index b = sequence; b < sequence + sequences; ++b) {
        const Index before = length(b), after = before + fresh.length(), axes = axes_;
        std::vector<std::int64_t>& all = positions_[static_cast<std::size_t>(b)];
        const std::int64_t* row = fresh.row(b - sequence);
        all.insert(all.end(), row, row + fresh.length() * axes);
        // of the held ones and the fresh ones, the first `kept_` and the newest stay
        const auto begin = all.begin() + std::min(after, kept_) * axes;
        all.erase(begin, begin + (held_of(before) + fresh.length() - held_of(after)) * axes);
        lengths_[static_cast<std::size_t>(b)] = after;
    }
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
