// The `vary:` section: axes of choices, each an overlay over the recipe, and which combinations of them are
// cells.
#pragma once

#include <string>
#include <vector>

#include "recipes/engine/config/arms.h"
#include "recipes/engine/config/product.h"

namespace locus {

struct Axis {
    std::string name;  // arm, a word (bundles), or a dotted key
    std::vector<Choice> choices;
};

/// What some cells change besides.
struct ConditionalOverlay {
    Condition condition;
    Overlay overlay;
};

struct Variation {
    std::vector<Axis> axes;
    std::vector<std::vector<std::size_t>> cells = {{}};  // the choice on each axis, in order
    std::vector<ConditionalOverlay> when;
    std::vector<ArmPart> parts;  // of arms that are products

    const Axis* arms() const { return !axes.empty() && axes.front().name == "arm" ? &axes.front() : nullptr; }
};

/// Reads `vary`: the arms first, then the other axes in the order written; cells are their combinations, the
/// last axis fastest, but for zip and except. Throws a usage Error for unknown keys, and for a key that
/// bundles set and a grid varies.
Variation read_variation(const Value& vary, const std::string& path, const Schema& schema);

/// Lays `key`=value over the arm that `path` begins with: "rope.train.lr" is train.lr of the arm rope.
void override_arm(Variation& variation, const std::string& path, const Entry& entry, const Schema& schema);

/// Throws a usage Error where the command line sets what an axis varies.
void check_overrides(const Overlay& overrides, const Variation& variation);

}  // namespace locus
