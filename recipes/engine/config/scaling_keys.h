// The keys of `encoding.scaling`: which of them a recipe may say depends on the rule that it names.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "recipes/engine/config/keys.h"

namespace locus {

/// encoding.scaling.type and the options of every rule of this kind of encoding. An option that the chosen
/// rule does not have is refused by name.
std::vector<Key> scaling_keys(const std::string& kind, const std::vector<std::string>& rules,
                              const std::map<std::string, std::vector<Option>>& options);

/// The key that Hugging Face's spelling stands for: rope_scaling, rope_type,
/// original_max_position_embeddings, rope_theta, partial_rotary_factor; any other path as it is.
std::string canonical_scaling(const std::string& path);

/// The rule that a value of encoding.scaling.type names; "default" is plain and "su" is longrope in Hugging
/// Face. Throws a usage Error for a rule that this kind of encoding does not have.
std::string read_rule(const Value& value, const std::string& kind, const std::vector<std::string>& rules);

}  // namespace locus
