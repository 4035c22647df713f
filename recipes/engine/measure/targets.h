// The fixed set of target tokens of the same_target protocol.
#pragma once

#include <span>
#include <vector>

#include "data/split.h"

namespace locus {

/// A token of a split: its document (its place in the split) and its index there.
struct Target {
    Index document = 0;
    Index index = 0;

    bool operator==(const Target&) const = default;
};

struct TargetSet {
    std::vector<Target> targets;  // by document, then by index
    Index eligible = 0;           // tokens that it was drawn from
};

/// Draws `wanted` of the tokens that have at least `predecessors` others before them in their document; all,
/// where there are fewer. Whether a token is taken depends on a random number keyed by its document (in the
/// corpus) and index only, so that every arm, and a larger `wanted`, takes it too.
TargetSet draw_targets(std::span<const SplitDocument> documents, Index predecessors, Index wanted);

}  // namespace locus
