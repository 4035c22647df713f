// The recipe's own training step on drawn data: for what must be compared or timed without a corpus.
#pragma once

#include <filesystem>
#include <memory>

#include "framework/train/trainer.h"
#include "models/transformer.h"
#include "recipes/engine/run/drawn.h"

namespace locus {

class DrawnTraining {
  public:
    /// Trains `model` by `recipe` (its positions, segments and dropout) on `sequences` windows of `length`
    /// tokens per step, on `threads` threads of every rank of `group`, without warm-up.
    DrawnTraining(std::unique_ptr<Transformer> model, const Recipe& recipe, Index sequences, Index length,
                  int threads, const Communicator& group = {});

    /// The update `number`, from 1. All ranks call it; throws what Trainer::step throws.
    void step(Index number);

    /// To and from a checkpoint. Throws a storage Error.
    void save(const std::filesystem::path& path, Index step);
    void load(const std::filesystem::path& path);

    std::vector<std::size_t> arena_peaks() const { return trainer_.arena_peaks(); }
    const Tensor& values() const { return model_->parameters().values(); }
    /// After the first step (1 - beta1) times its gradient, clipped.
    const Tensor& first_moment() const { return trainer_.optimizer().first_moment(); }

  private:
    std::unique_ptr<Transformer> model_;
    std::unique_ptr<const Recipe> recipe_;
    DrawnSource source_;
    Batch batch_;
    Workers workers_;
    Trainer trainer_;
};

}  // namespace locus
