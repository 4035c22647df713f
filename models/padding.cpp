#include "models/padding.h"

#include <algorithm>

namespace locus {
inline namespace LOCUS_SCALAR {

ForwardInput PaddedBatch::input() const {
    ForwardInput input;
    input.tokens = tokens;
    input.batch = batch;
    input.length = length;
    input.positions = positions;
    input.segments = segments;
    return input;
}

Positions text_positions(Index length, Index axes, std::int64_t start) {
    std::vector<std::int64_t> values;
    for (Index t = 0; t < length; ++t) values.insert(values.end(), static_cast<std::size_t>(axes), start + t);
    return Positions(1, length, axes, std::move(values));
}

PaddedBatch left_padded(const std::vector<std::vector<Token>>& sequences, Index axes) {
    PaddedBatch padded;
    padded.batch = static_cast<Index>(sequences.size());
    bool equal = true;
    for (const auto& sequence : sequences) {
        padded.length = std::max(padded.length, static_cast<Index>(sequence.size()));
        equal = equal && sequence.size() == sequences.front().size();
    }
    require(padded.length > 0, "padding: {} sequences without a token", padded.batch);
    std::vector<std::int64_t> positions;
    for (const auto& sequence : sequences) {
        const std::size_t gap = static_cast<std::size_t>(padded.length) - sequence.size();
        padded.tokens.insert(padded.tokens.end(), gap, 0);
        padded.tokens.insert(padded.tokens.end(), sequence.begin(), sequence.end());
        padded.segments.insert(padded.segments.end(), gap, -1);
        padded.segments.insert(padded.segments.end(), sequence.size(), 0);
        positions.insert(positions.end(), gap * static_cast<std::size_t>(axes), Positions::none);
        for (std::size_t t = 0; t < sequence.size(); ++t)
            positions.insert(positions.end(), static_cast<std::size_t>(axes), static_cast<std::int64_t>(t));
    }
    if (equal) {
        padded.segments.clear();
        padded.positions = text_positions(padded.length, axes);
    } else {
        padded.positions = Positions(padded.batch, padded.length, axes, std::move(positions));
    }
    return padded;
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
