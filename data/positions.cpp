#include "data/positions.h"

#include <algorithm>
#include <numeric>

#include "framework/core/error.h"

namespace locus {

namespace {

std::uint64_t key(Index number) {
    return static_cast<std::uint64_t>(number);
}

enum class Use : std::uint64_t { training, evaluation };

RandomStream stream_of(std::uint64_t seed, Use use, Index a, Index b, Index c) {
    return RandomStream(seed, Purpose::positions, {static_cast<std::uint64_t>(use), key(a), key(b), key(c)});
}

}  // namespace

// Floyd's method (doi:10.1145/30401.315746): a draw per number, whatever the range.
std::vector<std::int64_t> sorted_sample(Index count, Index max, RandomStream stream) {
    require(count >= 0 && count <= max, "positions: {} distinct ones of {} cannot be drawn", count, max);
    std::vector<bool> taken(static_cast<std::size_t>(max));
    for (Index last = max - count; last < max; ++last) {
        const auto drawn = static_cast<std::size_t>(stream.below(key(last + 1)));
        taken[taken[drawn] ? static_cast<std::size_t>(last) : drawn] = true;
    }
    std::vector<std::int64_t> sample;
    sample.reserve(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < taken.size(); ++i) {
        if (taken[i]) sample.push_back(static_cast<std::int64_t>(i));
    }
    return sample;
}

std::vector<std::int64_t> skipped_positions(Index length, Index max, Index chunks, RandomStream stream) {
    require(chunks >= 1 && chunks <= length && length <= max,
            "positions: {} chunks of a window of {} tokens below position {}", chunks, length, max);
    std::vector<std::int64_t> skips = {0};
    for (Index i = 1; i < chunks; ++i) {
        const auto room = key(max - length - skips.back() + 1);
        skips.push_back(skips.back() + static_cast<std::int64_t>(stream.below(room)));
    }
    std::vector<std::int64_t> ends = sorted_sample(chunks - 1, length - 1, stream);  // the last of each chunk
    ends.push_back(length - 1);
    std::vector<std::int64_t> positions;
    positions.reserve(static_cast<std::size_t>(length));
    for (std::size_t chunk = 0; chunk < ends.size(); ++chunk) {
        for (auto t = static_cast<std::int64_t>(positions.size()); t <= ends[chunk]; ++t)
            positions.push_back(t + skips[chunk]);
    }
    return positions;
}

Positions training_positions(const PositionOptions& options, Index sequences, Index length,
                             std::uint64_t seed, Index step) {
    if (options.kind == PositionKind::randomized) {
        return Positions(
            1, length, 1,
            sorted_sample(length, options.max_position, stream_of(seed, Use::training, step, 0, 0)));
    }
    if (options.kind == PositionKind::consecutive) return Positions::consecutive(length);
    std::vector<std::int64_t> all;
    all.reserve(static_cast<std::size_t>(sequences * length));
    for (Index slot = 0; slot < sequences; ++slot) {
        const auto own = skipped_positions(length, options.max_position, options.chunks,
                                           stream_of(seed, Use::training, step, slot, 0));
        all.insert(all.end(), own.begin(), own.end());
    }
    return Positions(sequences, length, 1, std::move(all));
}

std::vector<std::int64_t> evaluation_positions(const PositionOptions& options, Index document, Index start,
                                               Index length) {
    if (options.kind == PositionKind::randomized)
        return sorted_sample(length, options.max_position,
                             stream_of(0, Use::evaluation, document, start, length));
    std::vector<std::int64_t> positions(static_cast<std::size_t>(length));
    std::iota(positions.begin(), positions.end(), std::int64_t{0});
    return positions;
}

}  // namespace locus
