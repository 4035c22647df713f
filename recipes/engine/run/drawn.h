// Batches without data: drawn tokens, at the positions of a text.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/core/batch.h"
#include "models/transformer.h"
#include "recipes/engine/config/recipe.h"

namespace locus {

/// Tokens drawn by `index`.
std::vector<Token> drawn_tokens(const Transformer& model, Index count, std::uint64_t index);

/// Sequences of drawn tokens at positions 0, 1, ...; every seventh target is missing.
Batch drawn_batch(const Transformer& model, const Recipe& recipe, Index sequences, Index length);

/// Positions of text as the encoding reads them: cells of a square grid of the trained length for two axes,
/// else the same on every axis.
Positions placed_text(const Transformer& model, const Recipe& recipe, const Positions& text);

}  // namespace locus
