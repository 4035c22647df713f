// Documents one after another, so that a window may hold several.
#pragma once

#include <span>
#include <vector>

#include "data/split.h"

namespace locus {

/// The documents of a split as one row of tokens. A document of one token has nothing to predict and is left
/// out.
class PackedText {
  public:
    explicit PackedText(const Split& split);

    TokenView tokens() const { return tokens_.view(); }
    Index documents() const { return static_cast<Index>(ends_.size()); }

    /// What holds for the window of inputs begin .. begin + positions.size(): positions from 0 in each
    /// document, or from 0 at the window's start; segments 0, 1, ... by document. Targets, which are given as
    /// the tokens one further, become Batch::no_target where they belong to the next document.
    void describe(Index begin, std::span<std::int64_t> positions, std::span<std::int32_t> segments,
                  std::span<Token> targets) const;

  private:
    TokenStore tokens_;
    std::vector<Index> ends_;  // of each document: the place after its last token, ascending
};

}  // namespace locus
