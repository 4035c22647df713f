// Small words of tables: lists and numbers.
#pragma once

#include <string>
#include <vector>

#include "recipes/engine/measure/metric.h"

namespace locus {

/// "a, b, c"
std::string joined_words(const std::vector<std::string>& words, const std::string& between = ", ");

bool contains(const std::vector<std::string>& words, const std::string& word);

/// Adds a word that is not there yet.
void add_once(std::vector<std::string>& words, const std::string& word);

/// The axes that protocols measure along, tokens of the text: length, context, ...
std::vector<std::string> own_axes();

/// A coordinate as in the names of run folders: "rope", "lr=0.001".
std::string coordinate_text(const std::string& axis, const std::string& value);

/// A count with a comma every three digits: 4,005,888.
std::string grouped(double count);

/// A number of a table, with the decimals of its metric; powers of ten where it is a million or more.
std::string shown(double value, const Metric& metric);

/// The same of a difference: with its sign.
std::string signed_text(double value, const Metric& metric);

}  // namespace locus
