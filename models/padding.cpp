#include "models/padding.h"

#include <algorithm>

namespace locus {

Positions text_positions(Index length, Index axes, std::int64_t start) {
    std::vector<std::int64_t> values;
    for (Index t = 0; t < length; ++t) values.insert(values.end(), static_cast<std::size_t>(axes), start + t);
    return Positions(1, length, axes, std::move(values));
}

Batch left_padded(const std::vector<std::vector<Token>>& sequences, Index axes) {
    const auto count = static_cast<Index>(sequences.size());
    std::size_t length = 0;
    bool equal = true;
    for (const auto& sequence : sequences) {
        length = std::max(length, sequence.size());
        equal = equal && sequence.size() == sequences.front().size();
    }
    require(length > 0, "padding: {} sequences without a token", count);
    std::vector<Token> tokens;
    std::vector<std::int32_t> segments;
    std::vector<std::int64_t> positions;
    const auto axes_of = [&](std::size_t places) { return places * static_cast<std::size_t>(axes); };
    for (const auto& sequence : sequences) {
        const std::size_t gap = length - sequence.size();
        tokens.insert(tokens.end(), gap, 0);
        tokens.insert(tokens.end(), sequence.begin(), sequence.end());
        segments.insert(segments.end(), gap, -1);
        segments.insert(segments.end(), sequence.size(), 0);
        positions.insert(positions.end(), axes_of(gap), Positions::none);
        for (std::size_t t = 0; t < sequence.size(); ++t)
            positions.insert(positions.end(), axes_of(1), static_cast<std::int64_t>(t));
    }
    Batch padded = Batch::of_text(count, std::move(tokens));
    if (equal) {
        padded.positions = text_positions(padded.length, axes);
    } else {
        padded.segments = BatchArray<std::int32_t>(count, std::move(segments));
        padded.positions = Positions(count, padded.length, axes, std::move(positions));
    }
    return padded;
}

}  // namespace locus
