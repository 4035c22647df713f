// Batches without data: drawn tokens, at the positions of a text.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/split.h"
#include "framework/core/batch_source.h"
#include "models/transformer.h"
#include "recipes/engine/config/recipe.h"

namespace locus {

/// Tokens drawn by `index`.
std::vector<Token> drawn_tokens(const Transformer& model, Index count, std::uint64_t index);

/// One text at positions 0, 1, ...
Batch text_batch(const Transformer& model, const Recipe& recipe, std::vector<Token> tokens);

/// Sequences of drawn tokens at positions 0, 1, ...; every seventh target is missing.
Batch drawn_batch(const Transformer& model, const Recipe& recipe, Index sequences, Index length);

/// Positions of text as the encoding reads them: cells of a square grid of the trained length for two axes,
/// else the same on every axis.
Positions placed_text(const Transformer& model, const Recipe& recipe, const Positions& text);

/// The recipe's batches of a corpus of drawn documents, some longer than a window and some shorter: their
/// positions and segments are those that the recipe trains with.
class DrawnSource : public BatchSource {
  public:
    /// Of `sequences` windows of `length` tokens. The model and the recipe must live on.
    DrawnSource(const Transformer& model, const Recipe& recipe, Index sequences, Index length);

    void fill(Index step, Batch& batch) const override;
    Index sequences() const override { return source_->sequences(); }
    Index length() const override { return source_->length(); }
    double epochs(Index steps) const override { return source_->epochs(steps); }
    std::string hash(Index steps) const override { return source_->hash(steps); }
    std::string summary() const override { return source_->summary(); }

  private:
    const Transformer& model_;
    const Recipe& recipe_;
    std::vector<std::vector<Token>> texts_;
    Split split_{"drawn", {}};
    std::unique_ptr<BatchSource> source_;
};

}  // namespace locus
