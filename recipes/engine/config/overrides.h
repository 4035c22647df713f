// key=value on the command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "recipes/engine/config/value.h"

namespace locus {

/// What the command line says.
struct Overrides {
    std::vector<Entry> keys;           // over everything
    std::optional<Value> vary;         // vary={...}: instead of what the recipe varies
    std::vector<Entry> axes;           // vary.train.seed=[0, 1]: instead of that axis, or besides
    std::vector<Entry> arms;           // vary.arm.rope.train.lr=1e-3, under the key "rope.train.lr"
    std::optional<Value> chosen = {};  // vary.arm=[rope, alibi]: the names of arms
};

/// Reads key=value texts. A value that begins with [ or { is YAML, any other is taken as it stands. Throws a
/// usage Error for a text that is no key=value, for what is not UTF-8, and for a key that is given twice.
Overrides read_overrides(const std::vector<std::string>& texts);

}  // namespace locus
