// What holds for every encoding of a model, in words.
#pragma once

#include <map>
#include <string>

#include "recipes/engine/card/card.h"

namespace locus {

/// The encoding's own conventions and those of the model around it, by name.
std::map<std::string, std::string> conventions_of(const Recipe& recipe, const Transformer& model,
                                                  const EncodingCard& card);

}  // namespace locus
