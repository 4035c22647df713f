// The models that `verify` compares: drawn anew, under other masks, without their encoding.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "framework/core/batch.h"
#include "models/transformer.h"
#include "recipes/engine/config/recipe.h"

namespace locus::inline LOCUS_SCALAR {

/// A model of the recipe under `mask` and with `encoding`, with the values of `like` wherever names agree.
std::unique_ptr<Transformer> model_like(const Transformer& like, const Recipe& recipe,
                                        const MaskOptions& mask, const EncodingOptions& encoding);

/// The recipe's model with every parameter drawn, those that begin at zero or one as well, and its last norm
/// scaled so that logits have a standard deviation a little above 1.
std::unique_ptr<Transformer> drawn_model(const Recipe& recipe);

/// Tokens drawn by `index`.
std::vector<Token> drawn_tokens(const Transformer& model, Index count, std::uint64_t index);

/// Sequences of drawn tokens at positions 0, 1, ...; every seventh target is missing.
Batch drawn_batch(const Transformer& model, const Recipe& recipe, Index sequences, Index length);

/// Positions of text as the encoding reads them: cells of a square grid of the trained length for two axes,
/// else the same on every axis.
Positions placed_text(const Transformer& model, const Recipe& recipe, const Positions& text);

/// A pass over one text at positions 0, 1, ...; the tokens must live on.
ForwardInput text_pass(const Transformer& model, const Recipe& recipe, std::span<const Token> tokens);

/// Without a tape.
Tensor logits_of(const Transformer& model, const ForwardInput& input);

double standard_deviation(const Tensor& x);

/// Largest |a - b|; NaN where there is one. Throws for different shapes.
double largest_difference(const Tensor& a, const Tensor& b);
double largest(const Tensor& a);

}  // namespace locus::inline LOCUS_SCALAR
