// How far back a token can look through a stack of layers, from the masks alone.
#pragma once

#include <span>
#include <vector>

#include "framework/ops/mask.h"

namespace locus {

/// Which earlier tokens can reach the state of the last of `length` tokens, found over indices and not by a
/// formula: token j reaches token i through layers 0..n-1 if layer n - 1 lets i see some token that j reaches
/// through the layers below it. A token always reaches itself (the residual stream).
struct ReceptivePath {
    static constexpr Index never = -1;

    std::vector<Index> layers;  // [length]: by distance back from the last token, the fewest layers (the
                                // lowest ones of the stack) that carry it; or never

    /// The greatest distance that is reached through all layers.
    Index farthest() const;
    /// The distances below the farthest that no path has, ascending (dilation leaves such gaps).
    std::vector<Index> gaps() const;
};

/// The masks of the layers, the lowest first; they must have neither segments nor an offset. Throws a usage
/// Error if they have, or for a length below 1.
ReceptivePath receptive_path(std::span<const Mask> layers, Index length);

/// What n windows of W keys with dilation d reach in a sequence without an end: the sum of (W - 1) d over the
/// layers, plus the token itself (for equal windows without dilation n (W - 1) + 1). 0 if a layer sees all,
/// or if there are global tokens: then it is the sequence that ends it.
Index reach_of_windows(std::span<const Mask> layers);

}  // namespace locus
