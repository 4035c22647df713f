#include "data/batches.h"

#include <algorithm>
#include <mutex>

#include "framework/core/error.h"
#include "framework/core/random.h"
#include "framework/io/checksum.h"

namespace locus {

struct TrainingOrder::Cache {
    std::mutex mutex;
    Index epoch = -1;
    std::shared_ptr<const std::vector<Index>> order;
};

TrainingOrder::TrainingOrder(const Split& split, Index block, Index length, Index sequences,
                             std::uint64_t seed)
    : block_(block), length_(length), sequences_(sequences), seed_(seed), cache_(std::make_shared<Cache>()) {
    require(block >= 1 && length >= 1 && sequences >= 1,
            "training order: block {}, length {} and sequences {} must be 1 or more", block, length,
            sequences);
    require(block % length == 0, "training order: data.block {} is not a multiple of the training length {}",
            block, length);
    Index longest = 0;
    for (const SplitDocument& document : split.documents) {
        const auto tokens = static_cast<Index>(document.tokens.size());
        const Index count = tokens > 0 ? (tokens - 1) / block : 0;  // the last target needs a token more
        for (Index i = 0; i < count; ++i) {
            blocks_.push_back({document.tokens.data() + i * block, document.index, i * block});
        }
        longest = std::max(longest, tokens);
        documents_ += 1;
        documents_used_ += count > 0;
        tokens_used_ += count > 0 ? count * block + 1 : 0;
    }
    tokens_left_over_ = split.tokens() - tokens_used_;
    require(!blocks_.empty(), Failure::data,
            "the {} split is too short: a block of {} tokens needs a document of {}; the longest of {} "
            "documents has {}",
            split.name, block, block + 1, documents_, longest);
}

std::shared_ptr<const std::vector<Index>> TrainingOrder::order_of(Index epoch) const {
    const std::lock_guard lock(cache_->mutex);
    if (cache_->epoch != epoch) {
        const RandomStream stream(seed_, Purpose::data_order, {static_cast<std::uint64_t>(epoch)});
        cache_->order = std::make_shared<const std::vector<Index>>(permutation(blocks(), stream));
        cache_->epoch = epoch;
    }
    return cache_->order;
}

template <typename Use>
void TrainingOrder::for_each_window(Index step, Use use) const {
    require(step >= 0, "training order: step {} is before the first one", step);
    const Index per_block = block_ / length_;
    const Index per_epoch = windows_per_epoch();
    Index epoch = -1;
    std::shared_ptr<const std::vector<Index>> order;
    for (Index s = 0; s < sequences_; ++s) {
        const Index global = step * sequences_ + s;
        if (global / per_epoch != epoch) {
            epoch = global / per_epoch;
            order = order_of(epoch);
        }
        const Index within = global % per_epoch;
        use(s, Window{epoch, (*order)[static_cast<std::size_t>(within / per_block)], within % per_block});
    }
}

void TrainingOrder::fill(Index step, Batch& batch) const {
    const auto size = static_cast<std::size_t>(sequences_ * length_);
    if (batch.positions.length() != length_) batch.positions = Positions::consecutive(length_);
    batch.sequences = sequences_;
    batch.length = length_;
    batch.tokens.resize(size);
    batch.targets.resize(size);
    for_each_window(step, [&](Index s, const Window& window) {
        const Token* inputs =
            blocks_[static_cast<std::size_t>(window.block)].tokens + window.window * length_;
        std::copy_n(inputs, length_, batch.tokens.begin() + s * length_);
        std::copy_n(inputs + 1, length_, batch.targets.begin() + s * length_);
    });
}

Batch TrainingOrder::at(Index step) const {
    Batch batch;
    fill(step, batch);
    return batch;
}

std::vector<TrainingOrder::Window> TrainingOrder::windows(Index step) const {
    std::vector<Window> found;
    for_each_window(step, [&](Index, const Window& window) { found.push_back(window); });
    return found;
}

std::string TrainingOrder::summary() const {
    return fmt::format("{} blocks of {} tokens from {} of {} documents; {} tokens used, {} left over",
                       blocks(), block_, documents_used_, documents_, tokens_used_, tokens_left_over_);
}

double TrainingOrder::epochs(Index steps) const {
    return static_cast<double>(steps * sequences_) / static_cast<double>(windows_per_epoch());
}

std::string TrainingOrder::order_hash(Index steps) const {
    require(steps >= 0, "training order: {} steps cannot be hashed", steps);
    const Index tokens = steps * sequences_ * length_;
    const Index read = (tokens + block_ - 1) / block_;
    Checksum sum;
    sum.add(block_);
    sum.add(tokens);
    for (Index first = 0; first < read; first += blocks()) {
        const auto order = order_of(first / blocks());
        for (Index i = 0; i < std::min(blocks(), read - first); ++i) {
            const Block& block = blocks_[static_cast<std::size_t>((*order)[static_cast<std::size_t>(i)])];
            sum.add(block.document);
            sum.add(block.begin);
        }
    }
    return sum.hex();
}

}  // namespace locus
