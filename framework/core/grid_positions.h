// Positions of images and videos, alone or within text.
#pragma once

#include "framework/core/positions.h"

namespace locus {

/// Row and column of the cells of a grid in raster order, [1, rows * columns, 2]; with `cls`, one more token
/// without a position comes first.
Positions grid_positions(Index rows, Index columns, bool cls = false);

/// Time, row and column of text with images and videos in it (M-RoPE, Qwen2-VL, arXiv:2409.12191). A token of
/// text stands at the same number on all three axes; a block begins there and counts each axis on its own;
/// what follows a block begins one after the largest number in it, not after as many numbers as it has
/// tokens.
class VisualPositions {
  public:
    VisualPositions& text(Index tokens);
    /// A video of so many frames, or an image (one frame), in the order frame, row, column. Throws for a size
    /// below 1.
    VisualPositions& block(Index frames, Index rows, Index columns);

    Positions positions() const;  // [1, tokens so far, 3]

    /// Where the token after these stands, on every axis.
    std::int64_t next() const { return next_; }
    /// What is added to the count of tokens before a later token to give its position: next - tokens so far.
    std::int64_t rope_delta() const { return next_ - tokens(); }

  private:
    Index tokens() const { return static_cast<Index>(values_.size()) / 3; }

    std::vector<std::int64_t> values_;
    std::int64_t next_ = 0;
};

}  // namespace locus
