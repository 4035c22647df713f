// What the data hands to training and evaluation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/core/positions.h"
#include "framework/core/scalar.h"

namespace locus {

using Token = std::int32_t;

/// Sequences of equal length with the token that should follow each place.
struct Batch {
    static constexpr Token no_target = -1;  // a place that is not scored

    Index sequences = 0;
    Index length = 0;
    std::vector<Token> tokens;   // [sequences, length]
    std::vector<Token> targets;  // [sequences, length]; no_target where nothing is asked
    Positions positions;         // [1 or sequences, length]
    // [sequences, length]: the document of each token, in ascending order; a token sees its own only. Empty:
    // every sequence is of one document.
    std::vector<std::int32_t> segments = {};

    std::span<const Token> tokens_of(Index first, Index count) const {
        return std::span(tokens).subspan(static_cast<std::size_t>(first * length),
                                         static_cast<std::size_t>(count * length));
    }
    std::span<const Token> targets_of(Index first, Index count) const {
        return std::span(targets).subspan(static_cast<std::size_t>(first * length),
                                          static_cast<std::size_t>(count * length));
    }
    std::span<const std::int32_t> segments_of(Index first, Index count) const {
        if (segments.empty()) return {};
        return std::span(segments).subspan(static_cast<std::size_t>(first * length),
                                           static_cast<std::size_t>(count * length));
    }
};

}  // namespace locus
