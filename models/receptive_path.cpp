#include "models/receptive_path.h"

#include <algorithm>

#include "framework/core/error.h"

namespace locus {

namespace {

using Tokens = std::vector<char>;  // [length]: whether a token belongs to the set

/// Runs of indices, counted at their ends only: adding all up tells who is in one.
class Runs {
  public:
    Runs(Index length, Index step) : step_(step), change_(static_cast<std::size_t>(length), 0) {}

    /// first, first + step, ... up to last.
    void add(Index first, Index last) {
        if (first > last) return;
        const Index end = first + ((last - first) / step_ + 1) * step_;
        ++change_[static_cast<std::size_t>(first)];
        if (end < static_cast<Index>(change_.size())) --change_[static_cast<std::size_t>(end)];
    }
    void mark(Tokens& tokens) {
        const auto step = static_cast<std::size_t>(step_);
        for (std::size_t j = 0; j < change_.size(); ++j) {
            if (j >= step) change_[j] += change_[j - step];
            if (change_[j] > 0) tokens[j] = 1;
        }
    }

  private:
    Index step_;
    std::vector<Index> change_;
};

// All that some token of the set sees, and the set itself.
Tokens seen_by(const Tokens& tokens, const MaskRanges& ranges) {
    const auto length = static_cast<Index>(tokens.size());
    Runs all(length, 1), dilated(length, ranges.dilation);
    for (Index i = 0; i < length; ++i) {
        if (tokens[static_cast<std::size_t>(i)] == 0) continue;
        const KeyRange& range = ranges.queries[static_cast<std::size_t>(i)];
        all.add(0, std::min(ranges.global - 1, range.last));
        if (range.residue == KeyRange::any) {
            all.add(range.first, range.last);
        } else {
            const Index past =
                (range.residue - range.first % ranges.dilation + ranges.dilation) % ranges.dilation;
            dilated.add(range.first + past, range.last);
        }
    }
    Tokens seen = tokens;
    all.mark(seen);
    dilated.mark(seen);
    return seen;
}

/// What the layers see, once for all layers that see alike.
struct Sights {
    std::vector<MaskRanges> kinds;
    std::vector<std::size_t> of_layer;

    Sights(std::span<const Mask> layers, Index length) {
        std::vector<Mask> known;
        for (const Mask& mask : layers) {
            mask.check(1, length, length);
            require(mask.query_offset == 0 && mask.query_segments.empty() && mask.rows == Mask::Rows::all,
                    "receptive path: expected masks of whole sequences, without segments and offset");
            const auto alike = std::find_if(known.begin(), known.end(), [&](const Mask& other) {
                return other.causal == mask.causal && other.window == mask.window &&
                       other.dilation == mask.dilation && other.global == mask.global;
            });
            of_layer.push_back(static_cast<std::size_t>(alike - known.begin()));
            if (alike != known.end()) continue;
            known.push_back(mask);
            kinds.push_back(mask_ranges(mask, 0, length, length));
        }
    }
};

}  // namespace

Index ReceptivePath::farthest() const {
    const auto last = std::find_if(layers.rbegin(), layers.rend(), [](Index n) { return n != never; });
    return static_cast<Index>(layers.rend() - last) - 1;
}

std::vector<Index> ReceptivePath::gaps() const {
    std::vector<Index> all;
    for (Index distance = 0; distance < farthest(); ++distance)
        if (layers[static_cast<std::size_t>(distance)] == never) all.push_back(distance);
    return all;
}

ReceptivePath receptive_path(std::span<const Mask> layers, Index length) {
    require(length >= 1, "receptive path: expected a length of at least 1, found {}", length);
    const Sights sights(layers, length);
    ReceptivePath path{std::vector<Index>(static_cast<std::size_t>(length), ReceptivePath::never)};
    const auto record = [&](const Tokens& reached, Index count) {
        for (std::size_t distance = 0; distance < path.layers.size(); ++distance) {
            Index& fewest = path.layers[distance];
            if (fewest == ReceptivePath::never && reached[path.layers.size() - 1 - distance] != 0)
                fewest = count;
        }
    };
    Tokens start(static_cast<std::size_t>(length), 0);
    start.back() = 1;
    record(start, 0);
    Tokens reached = start;
    for (std::size_t count = 1; count <= layers.size(); ++count) {
        if (sights.kinds.size() == 1) {  // one more layer of the same kind
            reached = seen_by(reached, sights.kinds[0]);
        } else {
            reached = start;
            for (std::size_t layer = count; layer-- > 0;)
                reached = seen_by(reached, sights.kinds[sights.of_layer[layer]]);
        }
        record(reached, static_cast<Index>(count));
        if (std::count(reached.begin(), reached.end(), 0) == 0) break;
    }
    return path;
}

Index reach_of_windows(std::span<const Mask> layers) {
    Index reach = 1;
    for (const Mask& mask : layers) {
        if (mask.window == 0 || mask.global > 0) return 0;
        reach += (mask.window - 1) * mask.dilation;
    }
    return reach;
}

}  // namespace locus
