// Where a document is cut to be scored: pure arithmetic, no model.
#pragma once

#include <vector>

#include "framework/core/scalar.h"

namespace locus {

/// A run of inputs of one document; its targets are the tokens one further. The places from `first` on are
/// scored, those before it are context only.
struct Window {
    Index document = 0;
    Index start = 0;   // of the inputs, in the document
    Index inputs = 0;  // tokens that the model sees
    Index first = 0;   // place of the first scored target
    Index slot = 0;    // where the loss of that target goes; the others follow it

    Index scored() const { return inputs - first; }

    bool operator==(const Window&) const = default;
};

/// Windows of `length` inputs that move by `stride` <= length: the first scores all its places, each further
/// one those that are new; the last may be shorter. Every token but the document's first is a target exactly
/// once. Slots begin at `slot`. None for fewer than 2 tokens. Throws unless 1 <= stride <= length.
std::vector<Window> sliding_windows(Index document, Index tokens, Index length, Index stride, Index slot = 0);

/// The windows that do not overlap and have all `length` inputs and targets; the model sees and is scored on
/// the first `seen` <= length of them. The slots of a window begin `length` after those of the one before.
std::vector<Window> full_windows(Index document, Index tokens, Index length, Index seen, Index slot = 0);

/// The window that scores one token, at `index` of the document, after exactly `context` others.
Window target_window(Index document, Index index, Index context, Index slot);

/// Tokens that a sliding window of `length` moves by where nothing is said: length / 8, at least 1.
Index default_stride(Index length);

/// Edges 0 = e0 < e1 < ... = length of bins of positions, two an octave: 0, 1, 2, 3, 4, 6, 8, 11, 16, ...
std::vector<Index> position_edges(Index length);

}  // namespace locus
