// The models that `verify` compares: drawn anew, under other masks, without their encoding.
#pragma once

#include <memory>
#include <span>

#include "models/transformer.h"
#include "recipes/engine/run/drawn.h"

namespace locus {

/// A model of the recipe under `mask` and with `encoding`, with the values of `like` wherever names agree.
std::unique_ptr<Transformer> model_like(const Transformer& like, const Recipe& recipe,
                                        const MaskOptions& mask, const EncodingOptions& encoding);

/// The recipe's model with every parameter drawn, those that begin at zero or one as well, and its last norm
/// scaled so that logits have a standard deviation a little above 1.
std::unique_ptr<Transformer> drawn_model(const Recipe& recipe);

/// Without a tape.
Tensor logits_of(const Transformer& model, const Batch& batch, const Pass& pass = {});

double standard_deviation(const Tensor& x);

/// Largest |a - b|; NaN where there is one. Throws for different shapes.
double largest_difference(const Tensor& a, const Tensor& b);
double largest(const Tensor& a);

}  // namespace locus
