#include "recipes/engine/run/drawn_training.h"

#include <utility>

#include "framework/train/state.h"
#include "recipes/engine/run/training_pass.h"

namespace locus {

namespace {

std::unique_ptr<const Recipe> sized(const Recipe& recipe, Index sequences, Index length) {
    auto own = std::make_unique<Recipe>(recipe);
    own->train.length = length;
    own->train.batch_tokens = sequences * length;
    own->train.warmup_steps = 0;
    return own;
}

}  // namespace

DrawnTraining::DrawnTraining(std::unique_ptr<Transformer> model, const Recipe& recipe, Index sequences,
                             Index length, int threads, const Communicator& group)
    : model_(std::move(model)),
      recipe_(sized(recipe, sequences, length)),
      source_(*model_, *recipe_, sequences, length),
      workers_(threads),
      trainer_(model_->parameters(), recipe_->train, workers_, group) {}

void DrawnTraining::step(Index number) {
    source_.fill(number - 1, batch_);
    trainer_.step(number, batch_, training_loss(*model_, *recipe_));
}

void DrawnTraining::save(const std::filesystem::path& path, Index step) {
    save_checkpoint(path, capture(model_->parameters(), trainer_.optimizer(),
                                  {.recipe = "", .tokenizer = "", .vocabulary = model_->options().vocabulary},
                                  step, source_.sequences()));
}

void DrawnTraining::load(const std::filesystem::path& path) {
    const Checkpoint checkpoint = load_checkpoint(path);
    restore_parameters(checkpoint, model_->parameters(), path.string());
    restore_moments(checkpoint, model_->parameters(), trainer_.mutable_optimizer(), path.string());
}

}  // namespace locus
