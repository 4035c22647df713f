// A training step of a recipe, whoever runs it: training, what verifies it, and what times it.
#pragma once

#include "framework/train/trainer.h"
#include "models/transformer.h"
#include "recipes/engine/config/recipe.h"

namespace locus {

/// How a step (from 1) runs windows of `length` tokens: with dropout, and with the frequencies of the span of
/// their positions.
Pass training_pass(const Recipe& recipe, Index length, Index step);

/// The loss of a model under these passes. The model and the recipe must live on.
BatchLoss training_loss(const Transformer& model, const Recipe& recipe);

}  // namespace locus
