// The phase-coverage predictor: which pairs of a rotation meet angles beyond the trained length that training
// never showed them?
#pragma once

#include <nlohmann/json.hpp>

#include "models/transformer.h"
#include "recipes/engine/config/recipe.h"

namespace locus {

/// {trained_length, target_length, pairs[{pair, trained_turns, target_turns, unseen}], unseen_pairs[]} from
/// the configuration alone; null for an encoding without frequencies of text. Distances 0 to n - 1 turn a
/// pair by up to (n - 1) theta, and a whole turn shows it every angle; `unseen` is the share of the angles at
/// the target that lie beyond those of training. Trained are the plain frequencies at the original length,
/// and the recipe's own at train.length where it trains. The target is `length` where that is beyond the
/// original length, else the rule's own, else the longest evaluated one.
nlohmann::json phases_of(const Recipe& recipe, const Transformer& model, Index length);

/// The same as text, empty for null.
std::string phases_text(const nlohmann::json& phases);

}  // namespace locus
