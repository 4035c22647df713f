#include "recipes/engine/run/lesson.h"

#include <utility>

#include "framework/train/state.h"

namespace locus {

Lesson::Lesson(std::unique_ptr<Transformer> model, const TrainOptions& options, Batch batch, int threads,
               const Communicator& group)
    : model_(std::move(model)),
      batch_(std::move(batch)),
      workers_(threads),
      trainer_(model_->parameters(), options_for(options), workers_, group) {}

TrainOptions Lesson::options_for(const TrainOptions& options) const {
    TrainOptions own = options;
    own.length = batch_.length;
    own.batch_tokens = batch_.sequences * batch_.length;
    own.warmup_steps = 0;
    return own;
}

void Lesson::step(Index number) {
    trainer_.step(number, batch_, [this](const Batch& batch, Index first, Index count, Index) {
        ForwardInput input;
        input.tokens = batch.tokens_of(first, count);
        input.batch = count;
        input.length = batch.length;
        input.positions = batch.positions;
        return model_->loss(input, batch.targets_of(first, count));
    });
}

void Lesson::save(const std::filesystem::path& path, Index step) {
    save_checkpoint(path, capture(model_->parameters(), trainer_.optimizer(),
                                  {"", "", model_->options().vocabulary, 0}, step, batch_.sequences));
}

void Lesson::load(const std::filesystem::path& path) {
    const Checkpoint checkpoint = load_checkpoint(path);
    restore_parameters(checkpoint, model_->parameters(), path.string());
    restore_moments(checkpoint, model_->parameters(), trainer_.mutable_optimizer(), path.string());
}

}  // namespace locus
