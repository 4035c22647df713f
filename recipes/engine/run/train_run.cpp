#include "recipes/engine/run/train_run.h"

#include <fmt/core.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "data/batch_sources.h"
#include "framework/distributed/rank_errors.h"
#include "framework/io/checkpoint_folder.h"
#include "framework/io/checksum.h"
#include "framework/io/json_file.h"
#include "framework/io/machine.h"
#include "framework/io/run_log.h"
#include "framework/train/fit.h"
#include "framework/train/state.h"
#include "recipes/engine/config/write.h"
#include "recipes/engine/evaluation/score.h"
#include "recipes/engine/run/begin_from.h"
#include "recipes/engine/run/manifest.h"
#include "recipes/engine/run/own_folder.h"
#include "recipes/engine/run/profile_report.h"
#include "recipes/engine/run/same_recipe.h"
#include "recipes/engine/run/training_pass.h"

namespace fs = std::filesystem;

namespace locus {

namespace {

// One training run: everything that the hooks of the loop need. Of a group of ranks, rank 0 alone touches the
// run folder; the others get the state from it.
class TrainSession {
  public:
    TrainSession(const Cell& cell, Index index, const fs::path& folder, Workbench& bench, Reporter& reporter)
        : recipe_(cell.recipe),
          cell_(cell),
          folder_(folder),
          bench_(bench),
          group_(bench.group()),
          reporter_(reporter),
          model_(make_trainable_model(recipe_, bench.workers().count())),
          data_(bench.data(recipe_.data)),
          source_(make_batch_source(data_.splits.train, recipe_.data,
                                    {recipe_.train.sequences(), recipe_.train.length, recipe_.train.seed})),
          checkpoints_(folder / "checkpoints", recipe_.train.keep, recipe_.train.keep_every),
          identity_{write_recipe(recipe_, recipe_schema()),
                    data_.corpus.tokenizer.kind,
                    data_.corpus.tokenizer.bytes,
                    model_->options().vocabulary,
                    recipe_.train.seed,
                    data_.corpus.hash},
          manifest_(first_manifest(cell, index, *model_, data_, *source_, bench)),
          trainer_(model_->parameters(), recipe_.train, bench.workers(), bench.group(), bench.backend()) {
        require(recipe_.train.validate_every == 0 || data_.splits.valid.tokens() > 0, Failure::data,
                "train.validate_every is {}, but nothing is held out to validate on",
                recipe_.train.validate_every);
        if (!group_.is_root()) return;
        check_run_folder(folder, identity_.recipe);
        for (const std::string& note : bench.take_notes()) reporter.message(note);
        for (const std::string& note : cell.notes) reporter.message(note);
        for (const std::string& caution : cautions_of(recipe_)) reporter.message(caution);
    }

    TrainedRun run(const Resume& resume, Profile* profile) {
        check_ranks();
        Index done = 0;
        on_root(group_, [&] { done = restore(resume); });
        share_state(done);
        on_root(group_, [&] { open_folder(done); });
        Index step = done;
        try {
            validate_again(done);
            step = fit(trainer_, recipe_.train, done, hooks(profile));
        } catch (const Error& error) {
            note_failure(error);
            throw;
        }
        if (recipe_.train.steps() == 0) on_root(group_, [&] { save(0); });
        const bool finished = step == recipe_.train.steps() && !validation_cut_;
        on_root(group_, [&] { finish(finished ? "trained" : "interrupted", ""); });
        std::string table;
        if (profile != nullptr && step > done) on_root(group_, [&] { table = keep(profile->report()); });
        return {std::move(model_), step, finished, table};
    }

  private:
    // Ranks that differ in any of these would drift apart, bit by bit.
    void check_ranks() const {
        if (group_.alone()) return;
        const nlohmann::json machine = machine_manifest(bench_.backend());
        for (const char* part :
             {"commit", "dirty", "compiler", "flags", "target", "blas", "blas_kernel", "cpu_features"})
            require_alike(group_, fmt::format("machines of the ranks: {}", part), machine.at(part).dump());
        require_alike(group_, "recipe (XXH3)", checksum(identity_.recipe));
        require_alike_identity(group_, identity_of(data_));
    }

    Index restore(const Resume& resume) {
        if (resume.kind == Resume::Kind::never) return begin();
        Checkpoint checkpoint;
        fs::path source = resume.path;
        if (resume.kind == Resume::Kind::file) {
            checkpoint = load_checkpoint(source);
        } else {
            auto found = checkpoints_.newest();
            if (!found) return begin();
            for (const std::string& warning : found->warnings) reporter_.message(warning);
            checkpoint = std::move(found->checkpoint);
            source = found->path;
        }
        require_same_training(identity_.recipe, checkpoint.recipe, source.string(),
                              "this checkpoint belongs to another recipe");
        const auto wanted = checkpoint.step * recipe_.train.sequences();
        require(checkpoint.cursor == wanted, Failure::storage, "{}: the data cursor is {}, expected {}",
                source.string(), checkpoint.cursor, wanted);
        restore_parameters(checkpoint, model_->parameters(), source.string());
        restore_moments(checkpoint, model_->parameters(), trainer_.mutable_optimizer(), source.string());
        go_on(checkpoint, source);
        return checkpoint.step;
    }

    // What was recorded when the run began stays in its manifest; what has changed since then is refused, or
    // told and added.
    void go_on(const Checkpoint& checkpoint, const fs::path& source) {
        const Manifest before = read_manifest(folder_);
        Identity there = identity_in(before, manifest_path(folder_).string());
        for (const auto& [thing, value] : identity_of(checkpoint)) there[thing] = value;
        Identity here = identity_of_process(bench_.backend());
        here.merge(identity_of(data_));
        const auto changes = admit(there, here, folder_.string());
        for (const Change& change : changes)
            reporter_.message(fmt::format("{}: {}", folder_.filename().string(), text_of(change)));
        manifest_.keep_beginning_of(before);
        manifest_.resumed_from->push_back(checkpoint.step);
        if (before.was_changed)
            reporter_.message(manifest_path(folder_).string() + ": was changed after it was written");
        Event event = event_now("resumed", changes);
        event.step = checkpoint.step;
        event.checkpoint = source.string();
        manifest_.history.push_back(std::move(event));
    }

    // All ranks go on from rank 0's step, parameters and moments: they need no common disk.
    void share_state(Index& done) {
        if (group_.alone()) return;
        group_.broadcast(std::span(&done, 1));
        Adamw& optimizer = trainer_.mutable_optimizer();
        model_->parameters().change([&](const MutableTensor& values) {
            for (const MutableTensor& flat :
                 {values, optimizer.mutable_first_moment(), optimizer.mutable_second_moment()})
                group_.broadcast(flat.values());
        });
    }

    // Not before the state was restored: a bad --resume leaves nothing behind.
    void open_folder(Index done) {
        make_run_folder(folder_, identity_.recipe);
        announce(done);
        write_manifest(folder_, manifest_);
        log_ = std::make_unique<RunLog>(folder_ / "metrics.jsonl", done);
        for (const std::string& warning : log_->warnings()) reporter_.message(warning);
    }

    // Before the first step: drawn values, or those of the run that this one begins with.
    Index begin() {
        if (!recipe_.from.given()) return 0;
        const Beginning beginning = begin_from(cell_, folder_, *model_);
        admit(beginning.identity, identity_of(data_),
              fmt::format("{}: the run that it begins with was trained on another text", folder_.string()));
        for (const std::string& note : beginning.notes) reporter_.message(note);
        manifest_.from = beginning.origin;
        manifest_.initial_value_hash = initial_value_hash(*model_);
        return 0;
    }

    void announce(Index done) {
        const Index steps = recipe_.train.steps();
        reporter_.message(fmt::format(
            "{}: {} parameters, {} steps of {} tokens, {}; {} of training text in {:.2f} epochs{}",
            folder_.filename().string(), model_->parameters().count(), steps, recipe_.train.batch_tokens,
            recipe_.encoding.kind, source_->summary(), source_->epochs(steps_before(recipe_) + steps),
            done > 0 ? fmt::format("; going on from step {}", done) : ""));
    }

    FitHooks hooks(Profile* profile) {
        FitHooks hooks;
        hooks.profile = profile;
        hooks.source = source_.get();
        hooks.source_steps = steps_before(recipe_);
        hooks.loss = training_loss(*model_, recipe_);
        hooks.validate = [this](Index) { return validation(); };
        hooks.log = [this](const StepRecord& record) {
            on_root(group_, [&] {
                log_->write(record);
                show(record);
            });
        };
        hooks.save = [this](Index step) {
            if (!group_.alone()) require_alike(group_, "parameters of the ranks", parameters_hash());
            on_root(group_, [&] { save(step); });
        };
        hooks.stop = [this] { return group_.any(reporter_.stop()); };
        return hooks;
    }

    // Nats per token; NaN, until the run goes on, where it was stopped in the middle.
    double validation() {
        try {
            const TokenSum sum = split_loss(*model_, data_.splits.valid, recipe_.train.length,
                                            bench_.workers(), recipe_.data.positions, group_);
            validation_cut_ = false;
            return sum.nats / static_cast<double>(sum.tokens);
        } catch (const Error& error) {
            if (error.kind() != Failure::interrupted) throw;
            validation_cut_ = true;
            return std::numeric_limits<double>::quiet_NaN();
        }
    }

    // Of the step after which the run was stopped in its validation.
    void validate_again(Index done) {
        if (recipe_.train.validate_every == 0 || done % recipe_.train.validate_every != 0) return;
        if (!group_.any(log_ && log_->lacks_valid_loss())) return;
        const double loss = validation();
        if (!validation_cut_) on_root(group_, [&] { log_->complete(loss); });
    }

    void save(Index step) {
        require_finite_state(model_->parameters(), trainer_.optimizer(), step);
        log_->flush();  // a checkpoint must not outrun its log
        checkpoints_.save(
            capture(model_->parameters(), trainer_.optimizer(), identity_, step, recipe_.train.sequences()));
    }

    std::string parameters_hash() const {
        return checksum(std::as_bytes(model_->parameters().values().values()));
    }

    void show(const StepRecord& record) {
        seconds_ = record.seconds;
        if (first_step_ == 0) first_step_ = record.step - 1;
        const Index steps = recipe_.train.steps();
        const double rate =
            static_cast<double>((record.step - first_step_) * recipe_.train.batch_tokens) / record.seconds;
        const double left = static_cast<double>((steps - record.step) * recipe_.train.batch_tokens) / rate;
        // What is cut off on a narrow terminal stands at the end.
        reporter_.status(fmt::format("step {}/{}  {} left  loss {:.4f}  {} tokens/s  {}", record.step, steps,
                                     clock_text(left), record.loss, short_count(rate),
                                     folder_.filename().string()));
    }

    void finish(const std::string& state, const std::string& failure) {
        if (!group_.is_root()) return;
        log_->flush();
        manifest_.state = state;
        if (!failure.empty()) manifest_.failure = failure;
        if (state == "trained") manifest_.parameters_hash = locus::parameters_hash(*model_);
        manifest_.seconds = log_->seconds_before() + seconds_;
        manifest_.peak_memory = peak_memory();
        write_manifest(folder_, manifest_);
    }

    // What cannot be written on a full or broken disk must not stand in for the reason of the failure.
    void note_failure(const Error& error) {
        const bool stopped = error.kind() == Failure::interrupted;
        try {
            if (stopped)
                finish("interrupted", "");
            else
                finish(error.kind() == Failure::numeric ? "diverged" : "failed", error.what());
        } catch (const Error&) {
        }
    }

    // Writes profile.json; its table.
    std::string keep(const ProfileReport& report) const {
        const TrainOptions& train = recipe_.train;
        const nlohmann::json profile =
            to_json(report, {train.batch_tokens, model_->flops_per_token(train.length),
                             trainer_.arena_peaks(), peak_memory()});
        write_json(folder_ / "profile.json", profile);
        return profile_table(profile);
    }

    const Recipe& recipe_;
    const Cell& cell_;
    fs::path folder_;
    Workbench& bench_;
    Communicator group_;
    Reporter& reporter_;
    std::unique_ptr<Transformer> model_;  // before any data is read: sizes that do not fit are refused first
    const LoadedData& data_;
    std::unique_ptr<BatchSource> source_;
    CheckpointFolder checkpoints_;
    RunIdentity identity_;
    Manifest manifest_;
    Trainer trainer_;
    std::unique_ptr<RunLog> log_;
    bool validation_cut_ = false;
    Index first_step_ = 0;
    double seconds_ = 0;
};

}  // namespace

TrainedRun train_run(const Cell& cell, Index index, const fs::path& folder, const Resume& resume,
                     Workbench& bench, Reporter& reporter, Profile* profile) {
    std::unique_ptr<TrainSession> session;
    on_every_rank(bench.group(),
                  [&] { session = std::make_unique<TrainSession>(cell, index, folder, bench, reporter); });
    return session->run(resume, profile);
}

}  // namespace locus
