// From what was said to what holds: defaults filled in, every rule between values checked.
#pragma once

#include <string>
#include <vector>

#include "recipes/engine/config/overlay.h"

namespace locus {

/// Reads every value of `overlay` into a recipe. Throws a usage Error for options that belong to another kind
/// of encoding and for values of a wrong type.
Draft draft_of(const Overlay& overlay, const Schema& schema);

/// Fills in what makes the function that a model computes (model, mask, encoding) and checks what must fit
/// together there. The run that it begins with, if any, has been inherited. Throws a usage Error.
void resolve_function(Draft& draft, const Overlay& overlay, const Schema& schema, const std::string& place);

/// The greatest lengths among the arms, tokens.
struct LongestOfArms {
    Index window = 0;  // train.length
    Index root = 0;    // root_length
};

/// Fills in the rest, what depends on other values and checks what must fit together. `place` stands in an
/// error about values that nobody wrote. What a reader should know (tokens rounded up) is added to `notes`.
/// Throws a usage Error.
Recipe resolved(Draft draft, const Overlay& overlay, const LongestOfArms& longest, const Schema& schema,
                const std::string& place, std::vector<std::string>& notes);

}  // namespace locus
