// The checks of training: threads, and a run that was stopped and resumed.

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "framework/train/state.h"
#include "framework/train/trainer.h"
#include "recipes/engine/verify_checks.h"

namespace locus::inline LOCUS_SCALAR {

namespace {

constexpr Index lesson_sequences = 8;

// A model on its own that is trained on one drawn batch, step by step.
class Lesson {
  public:
    Lesson(const VerifySubject& s, int threads)
        : model_(model_like(s.model, s.recipe, s.recipe.mask, s.recipe.encoding)),
          batch_(drawn_batch(*model_, s.recipe, lesson_sequences, std::min<Index>(s.trained, 64))),
          workers_(threads),
          trainer_(model_->parameters(), options_for(s), workers_) {}

    void step(Index number) {
        trainer_.step(number, batch_, [this](const Batch& batch, Index first, Index count, Index) {
            ForwardInput input;
            input.tokens = batch.tokens_of(first, count);
            input.batch = count;
            input.length = batch.length;
            input.positions = batch.positions;
            return model_->loss(input, batch.targets_of(first, count));
        });
    }

    void save(const std::filesystem::path& path, Index step) {
        save_checkpoint(path, capture(model_->parameters(), trainer_.optimizer(),
                                      {"", "", model_->options().vocabulary, 0}, step, lesson_sequences));
    }

    void load(const std::filesystem::path& path) {
        const Checkpoint checkpoint = load_checkpoint(path);
        restore_parameters(checkpoint, model_->parameters(), path.string());
        restore_moments(checkpoint, model_->parameters(), trainer_.mutable_optimizer(), path.string());
    }

    const Tensor& values() const { return model_->parameters().values(); }

  private:
    TrainOptions options_for(const VerifySubject& s) const {
        TrainOptions options = s.recipe.train;
        options.length = batch_.length;
        options.batch_tokens = lesson_sequences * batch_.length;
        options.warmup_steps = 0;
        return options;
    }

    std::unique_ptr<Transformer> model_;
    Batch batch_;
    Workers workers_;
    Trainer trainer_;
};

// A folder that goes with its owner.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "locus-verify-XXXXXX").string();
        require(mkdtemp(name.data()) != nullptr, Failure::storage, "{}: no folder could be made", name);
        path_ = name;
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

}  // namespace

void check_threads(const VerifySubject& s, int threads, const TakeCheck& take) {
    Lesson one(s, 1), many(s, threads);
    one.step(1);
    many.step(1);
    take({fmt::format("a training step on {} threads = on one thread", threads),
          largest_difference(many.values(), one.values()), 0});
    take({"a training step changes parameters",
          largest_difference(one.values(), s.model.parameters().values()), 0, true});
}

void check_resume(const VerifySubject& s, const TakeCheck& take) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "step.h5";
    Lesson whole(s, 1), resumed(s, 1);
    whole.step(1);
    whole.save(path, 1);
    whole.step(2);
    resumed.load(path);
    resumed.step(2);
    take({"two training steps, saved and resumed between = uninterrupted",
          largest_difference(resumed.values(), whole.values()), 0});
}

}  // namespace locus::inline LOCUS_SCALAR
