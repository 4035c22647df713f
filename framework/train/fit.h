// The training loop: batch, step, log, validate, save.
#pragma once

#include <functional>
#include <optional>

#include "framework/core/batch_source.h"
#include "framework/core/profile.h"
#include "framework/io/run_log.h"
#include "framework/train/trainer.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// What the loop asks of its surroundings. Steps are counted from 1.
struct FitHooks {
    const BatchSource* source = nullptr;
    Index source_steps = 0;  // of the source, those that went by before the first step of this training
    BatchLoss loss;
    std::function<double(Index step)> validate;         // mean loss; asked every validate_every steps
    std::function<void(const StepRecord& record)> log;  // after every step
    std::function<void(Index step)> save;               // every checkpoint_every steps and after the last
    std::function<bool()> stop;                         // asked after every step: save and leave?
    Profile* profile = nullptr;  // measures data and step, not validation, log and saving
};

/// Trains from step `done` + 1 to the last; returns the last step that was done. Where `stop` says so, or a
/// step throws an interrupted Error, the state is saved first: that before the step that was not finished.
/// Throws what the hooks throw, and a numeric Error when the run diverges.
Index fit(Trainer& trainer, const TrainOptions& options, Index done, const FitHooks& hooks);

}  // namespace LOCUS_SCALAR
}  // namespace locus
