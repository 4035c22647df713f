#include "framework/train/fit.h"

#include <chrono>

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

StepReport profiled_step(Trainer& trainer, Index step, Batch& batch, const FitHooks& hooks) {
    const Profile::Step timed(hooks.profile);
    {
        const ProfiledPart filling("data");
        hooks.source->fill(hooks.source_steps + step - 1, batch);
    }
    return trainer.step(step, batch, hooks.loss);
}

// Nothing where the process was asked to stop meanwhile: parameters and moments are those before the step.
std::optional<StepReport> whole_step(Trainer& trainer, Index step, Batch& batch, const FitHooks& hooks) {
    try {
        return profiled_step(trainer, step, batch, hooks);
    } catch (const Error& error) {
        if (error.kind() != Failure::interrupted) throw;
        return std::nullopt;
    }
}

}  // namespace

Index fit(Trainer& trainer, const TrainOptions& options, Index done, const FitHooks& hooks) {
    const Clock::time_point begin = Clock::now();
    const Index steps = options.steps();
    if (hooks.profile != nullptr) hooks.profile->expect(steps - done);
    Batch batch;
    for (Index step = done + 1; step <= steps; ++step) {
        const Clock::time_point step_begin = Clock::now();
        const auto report = whole_step(trainer, step, batch, hooks);
        if (!report) {
            if (step - 1 > done) hooks.save(step - 1);
            return step - 1;
        }
        StepRecord record{.step = step,
                          .tokens = step * options.batch_tokens,
                          .loss = report->loss,
                          .lr = report->lr,
                          .grad_norm = report->grad_norm};
        record.tokens_per_second = static_cast<double>(options.batch_tokens) / seconds_since(step_begin);
        if (options.validate_every > 0 && step % options.validate_every == 0)
            record.valid_loss = hooks.validate(step);
        record.seconds = seconds_since(begin);
        hooks.log(record);
        const bool stop = hooks.stop();
        if (stop || step == steps || step % options.checkpoint_every == 0) hooks.save(step);
        if (stop && step < steps) return step;
    }
    return steps;
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
