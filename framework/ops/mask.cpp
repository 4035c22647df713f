#include "framework/ops/mask.h"

#include <algorithm>
#include <limits>
#include <span>

#include "framework/core/error.h"

namespace locus {

namespace {

KeyRange range_of(const Mask& mask, Index i, Index keys) {
    const Index index = mask.query_offset + i;
    const bool global = index < mask.global;
    if (mask.rows != Mask::Rows::all && global != (mask.rows == Mask::Rows::global)) return {0, -1};
    KeyRange range{0, mask.causal ? std::min(index, keys - 1) : keys - 1};
    if (mask.window == 0 || global) return range;
    const Index reach = (mask.window - 1) * mask.dilation;
    range.first = std::max<Index>(0, index - reach);
    if (!mask.causal) range.last = std::min(keys - 1, index + reach);
    if (mask.dilation > 1) range.residue = index % mask.dilation;
    return range;
}

// Narrows a query's range to the run of keys of its segment. REQUIRES: segments are runs.
void narrow(KeyRange& range, std::span<const std::int32_t> key_segments, std::int32_t segment) {
    const auto run = segment < 0 ? std::pair(key_segments.end(), key_segments.end())
                                 : std::equal_range(key_segments.begin(), key_segments.end(), segment);
    range.first = std::max<Index>(range.first, run.first - key_segments.begin());
    range.last = std::min<Index>(range.last, run.second - key_segments.begin() - 1);
    if (run.first == run.second) range = {0, -1};
}

}  // namespace

bool Mask::allows(Index b, Index i, Index j, Index queries, Index keys) const {
    const KeyRange range = range_of(*this, i, keys);
    const bool local = j >= range.first && (range.residue == KeyRange::any || j % dilation == range.residue);
    if (j > range.last || !(local || j < global)) return false;
    if (query_segments.empty()) return true;
    const std::int32_t segment = query_segments[static_cast<std::size_t>(b * queries + i)];
    return segment >= 0 && segment == key_segments[static_cast<std::size_t>(b * keys + j)];
}

void Mask::check(Index batch, Index queries, Index keys) const {
    require(window >= 0 && global >= 0, "mask: window {} and global {} must not be negative", window, global);
    require(dilation >= 1 && (dilation == 1 || window > 0),
            "mask: dilation {} with window {}; expected at least 1, and above 1 only within a window",
            dilation, window);
    require(query_offset >= 0, "mask: the query offset {} is negative", query_offset);
    require(!causal || query_offset + queries <= keys, "mask: {} queries from index {}, but only {} keys",
            queries, query_offset, keys);
    require(query_segments.empty() == key_segments.empty(), "mask: segments of queries and keys go together");
    if (query_segments.empty()) return;
    require(static_cast<Index>(query_segments.size()) == batch * queries,
            "mask: {} query segments for [{}, {}]", query_segments.size(), batch, queries);
    require(static_cast<Index>(key_segments.size()) == batch * keys, "mask: {} key segments for [{}, {}]",
            key_segments.size(), batch, keys);
}

MaskRanges mask_ranges(const Mask& mask, Index b, Index queries, Index keys) {
    MaskRanges ranges;
    ranges.global = std::min(mask.global, keys);
    ranges.dilation = mask.dilation;
    ranges.queries.reserve(static_cast<std::size_t>(queries));
    for (Index i = 0; i < queries; ++i) ranges.queries.push_back(range_of(mask, i, keys));
    if (mask.query_segments.empty()) return ranges;
    const auto row = [&](const WorkVector<std::int32_t>& all, Index count) {
        return std::span(all).subspan(static_cast<std::size_t>(b * count), static_cast<std::size_t>(count));
    };
    const auto query_segments = row(mask.query_segments, queries),
               key_segments = row(mask.key_segments, keys);
    ranges.by_segment = ranges.global > 0 || !std::is_sorted(key_segments.begin(), key_segments.end());
    for (Index i = 0; i < queries && !ranges.by_segment; ++i) {
        narrow(ranges.queries[static_cast<std::size_t>(i)], key_segments,
               query_segments[static_cast<std::size_t>(i)]);
    }
    return ranges;
}

}  // namespace locus

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

void fill_hidden(const MutableTensor& scores, const Mask& mask, Scalar value) {
    const Index heads = scores.size(1), queries = scores.size(2), keys = scores.size(3);
    for (Index b = 0; b < scores.size(0); ++b) {
        for (Index i = 0; i < queries; ++i) {
            for (Index j = 0; j < keys; ++j) {
                if (mask.allows(b, i, j, queries, keys)) continue;
                for (Index h = 0; h < heads; ++h)
                    scores.data()[((b * heads + h) * queries + i) * keys + j] = value;
            }
        }
    }
}

}  // namespace

Variable masked(const Variable& scores, const Mask& mask) {
    require(scores.shape().rank() == 4, "masked: expected scores [B, H, Tq, Tk], found {}", scores.shape());
    mask.check(scores.size(0), scores.size(2), scores.size(3));
    MutableTensor out = scores.value().clone();
    fill_hidden(out, mask, -std::numeric_limits<Scalar>::infinity());
    return record(out, {scores}, [mask](const MutableTensor& cotangent, const Gradients& gradients) {
        fill_hidden(cotangent, mask, 0);
        gradients.pass(0);
    });
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
