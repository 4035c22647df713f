#include "data/batches.h"

#include <algorithm>
#include <mutex>

#include "data/positions.h"
#include "framework/core/error.h"
#include "framework/core/random.h"
#include "framework/core/stop.h"
#include "framework/io/checksum.h"

namespace locus {

struct TrainingOrder::Cache {
    std::mutex mutex;
    Index epoch = -1;
    std::shared_ptr<const std::vector<Index>> order;
};

TrainingOrder::TrainingOrder(const Split& split, Index block, Index length, Index sequences,
                             std::uint64_t seed, const PositionOptions& positions)
    : block_(block),
      length_(length),
      sequences_(sequences),
      seed_(seed),
      positions_(positions),
      cache_(std::make_shared<Cache>()) {
    require(block >= 1 && length >= 1 && sequences >= 1,
            "training order: block {}, length {} and sequences {} must be 1 or more", block, length,
            sequences);
    require(block % length == 0, "training order: data.block {} is not a multiple of the training length {}",
            block, length);
    documents_ = static_cast<Index>(split.documents.size());
    positions.kind == PositionKind::packed ? cut_row(split) : cut_documents(split);
    tokens_left_over_ = split.tokens() - tokens_used_;
}

void TrainingOrder::cut_documents(const Split& split) {
    Index longest = 0;
    for (const SplitDocument& document : split.documents) {
        const auto tokens = static_cast<Index>(document.tokens.size());
        const Index count = tokens > 0 ? (tokens - 1) / block_ : 0;  // the last target needs a token more
        width_ = document.tokens.width();
        for (Index i = 0; i < count; ++i) {
            const auto place = static_cast<std::size_t>(i * block_);
            blocks_.push_back({document.tokens.subspan(place, 0).data(), document.index, i * block_});
        }
        longest = std::max(longest, tokens);
        documents_used_ += count > 0;
        tokens_used_ += count > 0 ? count * block_ + 1 : 0;
    }
    require(!blocks_.empty(), Failure::data,
            "the {} split is too short: a block of {} tokens needs a document of {}; the longest of {} "
            "documents has {}",
            split.name, block_, block_ + 1, documents_, longest);
}

void TrainingOrder::cut_row(const Split& split) {
    packed_ = std::make_shared<const PackedText>(split);
    const TokenView row = packed_->tokens();
    const auto tokens = static_cast<Index>(row.size());
    width_ = row.width();
    const Index count = tokens > 0 ? (tokens - 1) / block_ : 0;
    for (Index i = 0; i < count; ++i) {
        const auto place = static_cast<std::size_t>(i * block_);
        blocks_.push_back({row.subspan(place, 0).data(), -1, i * block_});  // -1: of no one document
    }
    documents_used_ = packed_->documents();
    tokens_used_ = count > 0 ? count * block_ + 1 : 0;
    require(!blocks_.empty(), Failure::data,
            "the {} split is too short: a block of {} tokens needs a row of {}; {} documents make one of {}",
            split.name, block_, block_ + 1, documents_, tokens);
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
    batch.sequences = sequences_;
    batch.length = length_;
    batch.first = 0;
    if (batch.inputs.size() > 1) batch.inputs.clear();
    batch.weights = {};
    const std::span<Token> tokens = batch.renew_tokens(), targets = batch.targets.renew(sequences_, length_);
    for_each_window(step, [&](Index s, const Window& window) {
        const Block& block = blocks_[static_cast<std::size_t>(window.block)];
        const Index begin = window.window * length_;
        stored(block, begin, length_).copy_to(tokens.data() + s * length_);
        stored(block, begin + 1, length_).copy_to(targets.data() + s * length_);
    });
    place(step, batch, targets);
}

void TrainingOrder::place(Index step, Batch& batch, std::span<Token> targets) const {
    const bool is_done = positions_.kind == PositionKind::consecutive && batch.segments.empty() &&
                         batch.positions.length() == length_;
    if (is_done) return;
    if (!packed_) {
        batch.segments = {};
        batch.positions = training_positions(positions_, sequences_, length_, seed_, step);
        return;
    }
    const std::span<std::int32_t> segments = batch.segments.renew(sequences_, length_);
    std::vector<std::int64_t> positions(targets.size());
    for_each_window(step, [&](Index s, const Window& window) {
        const auto part = [&](auto& all) {
            return std::span(all).subspan(static_cast<std::size_t>(s * length_),
                                          static_cast<std::size_t>(length_));
        };
        const Index begin = blocks_[static_cast<std::size_t>(window.block)].begin + window.window * length_;
        packed_->describe(begin, part(positions), part(segments), part(targets));
    });
    batch.positions = Positions(sequences_, length_, 1, std::move(positions));
}

std::vector<TrainingOrder::Window> TrainingOrder::windows(Index step) const {
    std::vector<Window> found;
    for_each_window(step, [&](Index, const Window& window) { found.push_back(window); });
    return found;
}

std::string TrainingOrder::summary() const {
    return fmt::format("{} blocks of {} tokens from {} of {} documents{}; {} tokens used, {} left over",
                       blocks(), block_, documents_used_, documents_, packed_ ? ", packed" : "", tokens_used_,
                       tokens_left_over_);
}

double TrainingOrder::epochs(Index steps) const {
    return static_cast<double>(steps * sequences_) / static_cast<double>(windows_per_epoch());
}

std::string TrainingOrder::hash(Index steps) const {
    require(steps >= 0, "training order: {} steps cannot be hashed", steps);
    const Index tokens = steps * sequences_ * length_;
    const Index read = (tokens + block_ - 1) / block_;
    Checksum sum;
    sum.add(block_);
    sum.add(tokens);
    for (Index first = 0; first < read; first += blocks()) {
        throw_if_stopped();  // as many epochs as the recipe has
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
