// Small words of tables: lists and numbers.
#pragma once

#include <string>
#include <vector>

#include "recipes/engine/config/recipe.h"

namespace locus {

/// "a, b, c"
std::string joined_words(const std::vector<std::string>& words, const std::string& between = ", ");

bool contains(const std::vector<std::string>& words, const std::string& word);

/// Adds a word that is not there yet.
void add_once(std::vector<std::string>& words, const std::string& word);

/// Whether an axis is one of results, not of runs: protocol or length.
bool is_score_axis(const std::string& axis);

/// A coordinate as in the names of run folders: "rope", "lr=0.001".
std::string coordinate_text(const std::string& axis, const std::string& value);

/// A count with a comma every three digits: 4,005,888.
std::string grouped(double count);

/// A number of a table: 4 decimals, perplexity 3; powers of ten where it is a million or more.
std::string shown(double value, Metric metric);

/// The same of a difference: with its sign.
std::string signed_text(double value, Metric metric);

}  // namespace locus
