// What one place says (a recipe, its base, an arm, a grid's value, the command line), as text: what it means
// is asked once, after all overlays lie over each other.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "recipes/engine/config/schema.h"

namespace locus {

struct Overlay {
    std::map<std::string, Value> values;  // by dotted path
    std::set<std::string> blocks;  // sections and encoding.scaling written as a whole: over another overlay
                                   // they replace the section
};

/// Reads entries such as `train: {lr: 1e-3}` and `train.lr: 1e-3`. Throws a usage Error, with file and line,
/// for unknown, misplaced and repeated keys and for two spellings of one thing.
Overlay flatten(const std::vector<Entry>& entries, const Schema& schema);

/// Lays `over` on `base`: a whole block replaces the block, a dotted key one value (and its other spelling).
void lay_over(Overlay& base, const Overlay& over, const Schema& schema);

/// Lays a recipe on its base: every key replaces one value, in blocks as well; but another kind of encoding
/// takes nothing of the old one, and another rule nothing of the old scaling.
void lay_on_base(Overlay& base, const Overlay& over, const Schema& schema);

}  // namespace locus
