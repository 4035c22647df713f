// A recipe as text, every default resolved.
#pragma once

#include <string>

#include "recipes/engine/config/schema.h"

namespace locus {

/// The YAML text of a resolved recipe: question, sections, table, and what varies as `cell`. The same recipe
/// gives the same bytes, and reading them gives the same recipe.
std::string write_recipe(const Recipe& recipe, const Schema& schema);

/// A value as a recipe says it: 0.001, [64, 128], "two words".
std::string written(const Value& value);

}  // namespace locus
