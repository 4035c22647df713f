// A model that is trained on one drawn batch: for what must be compared or timed without data.
#pragma once

#include <filesystem>
#include <memory>

#include "framework/train/trainer.h"
#include "models/transformer.h"

namespace locus {

class Lesson {
  public:
    /// Trains `model` on `batch`, whose sequences all stand at the same positions, on `threads` threads of
    /// every rank of `group`. Of `options` all but the sizes of the batch is used.
    Lesson(std::unique_ptr<Transformer> model, const TrainOptions& options, Batch batch, int threads,
           const Communicator& group = {});

    /// The update `number`, from 1. All ranks call it; throws what Trainer::step throws.
    void step(Index number);

    /// To and from a checkpoint. Throws a storage Error.
    void save(const std::filesystem::path& path, Index step);
    void load(const std::filesystem::path& path);

    const Tensor& values() const { return model_->parameters().values(); }
    /// After the first step (1 - beta1) times its gradient, clipped.
    const Tensor& first_moment() const { return trainer_.optimizer().first_moment(); }

  private:
    TrainOptions options_for(const TrainOptions& options) const;

    std::unique_ptr<Transformer> model_;
    Batch batch_;
    Workers workers_;
    Trainer trainer_;
};

}  // namespace locus
