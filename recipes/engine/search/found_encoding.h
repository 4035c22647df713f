// The encoding of a recipe under factors that a search has found, and under the rules that need no search.
#pragma once

#include <string>

#include "models/frequency_rule.h"
#include "recipes/engine/config/recipe.h"

namespace locus {

/// The encoding without any rule.
EncodingOptions without_rule(const Recipe& recipe);

/// The encoding under a rule of which these are options; `original` is the length before it was extended.
EncodingOptions under_rule(const Recipe& recipe, const std::string& rule, const RuleChoices& own,
                           Index original);

/// The encoding under what a search has found.
EncodingOptions under_found(const Recipe& recipe, const FoundFactors& found, Index original);

/// Its options as a recipe says them: an `encoding.scaling` block.
std::string scaling_text(const EncodingOptions& found);

}  // namespace locus
