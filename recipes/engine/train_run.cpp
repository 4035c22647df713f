#include "recipes/engine/train_run.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "data/batches.h"
#include "framework/io/atomic_file.h"
#include "framework/io/checkpoint_folder.h"
#include "framework/io/json_file.h"
#include "framework/io/machine.h"
#include "framework/io/run_log.h"
#include "framework/train/fit.h"
#include "framework/train/state.h"
#include "recipes/engine/begin_from.h"
#include "recipes/engine/manifest.h"
#include "recipes/engine/score.h"
#include "recipes/engine/write.h"
#include "recipes/engine/yaml.h"

namespace fs = std::filesystem;

namespace locus {

namespace {

// The first line in which two texts differ, from the second of them.
std::string first_difference(const std::string& here, const std::string& there) {
    std::istringstream a(here), b(there);
    std::string line_a, line_b;
    for (int number = 1;; ++number) {
        const bool more_a = static_cast<bool>(std::getline(a, line_a)),
                   more_b = static_cast<bool>(std::getline(b, line_b));
        if (more_a != more_b || line_a != line_b) {
            return fmt::format("line {} is '{}' there, '{}' here", number, more_b ? line_b : "",
                               more_a ? line_a : "");
        }
        if (!more_a) return "no line differs";
    }
}

void check_folder(const fs::path& folder, const std::string& recipe) {
    const fs::path path = folder / "recipe.yaml";
    std::error_code unreachable;  // making the folder will say why
    if (!fs::exists(path, unreachable)) return;
    const std::string there = read_file(path);
    require(there == recipe, Failure::storage, "{}: this run folder belongs to another recipe: {}",
            folder.string(), first_difference(recipe, there));
}

void make_folder(const fs::path& folder, const std::string& recipe) {
    const fs::path path = folder / "recipe.yaml";
    std::error_code error;
    if (fs::exists(path, error)) return;
    fs::create_directories(folder, error);
    require(!error, Failure::storage, "{}: the run folder cannot be made: {}", folder.string(),
            error.message());
    write_file_atomically(path, recipe);
}

}  // namespace

nlohmann::json stored_manifest(const fs::path& folder) {
    const fs::path path = folder / "manifest.json";
    if (!fs::exists(path)) return nlohmann::json::object();
    nlohmann::json manifest = read_json(path);
    require(manifest.is_object(), Failure::storage, "{}: expected a JSON object, found {}", path.string(),
            manifest.type_name());
    return manifest;
}

void update_manifest(const fs::path& folder, const nlohmann::json& fields) {
    nlohmann::json manifest = stored_manifest(folder);
    manifest.update(fields);
    write_json(folder / "manifest.json", manifest);
}

}  // namespace locus

namespace locus::inline LOCUS_SCALAR {

namespace {

// One training run: everything that the hooks of the loop need.
class TrainSession {
  public:
    TrainSession(const Cell& cell, Index index, const fs::path& folder, Workbench& bench, Reporter& reporter)
        : recipe_(cell.recipe),
          cell_(cell),
          folder_(folder),
          bench_(bench),
          reporter_(reporter),
          model_(make_trainable_model(recipe_)),
          data_(bench.data(recipe_.data)),
          order_(data_.splits.train, recipe_.data.block, recipe_.train.length, recipe_.train.sequences(),
                 recipe_.train.seed, recipe_.data.positions),
          checkpoints_(folder / "checkpoints", recipe_.train.keep),
          identity_{write_recipe(recipe_, recipe_schema()), recipe_.data.tokenizer,
                    model_->options().vocabulary, recipe_.train.seed},
          manifest_(first_manifest(cell, index, *model_, data_, order_, bench.workers().count())),
          trainer_(model_->parameters(), recipe_.train, bench.workers()) {
        require(recipe_.train.validate_every == 0 || data_.splits.valid.tokens() > 0, Failure::data,
                "train.validate_every is {}, but nothing is held out to validate on",
                recipe_.train.validate_every);
        check_folder(folder, identity_.recipe);
        for (const std::string& note : cell.notes) reporter.message(note);
    }

    TrainedRun run(const Resume& resume) {
        const Index done = restore(resume);
        make_folder(folder_, identity_.recipe);  // not before: a bad --resume leaves nothing behind
        announce(done);
        write_json(folder_ / "manifest.json", manifest_);
        log_ = std::make_unique<RunLog>(folder_ / "metrics.jsonl", done);
        for (const std::string& warning : log_->warnings()) reporter_.message(warning);
        Index step = done;
        try {
            step = fit(trainer_, recipe_.train, done, hooks());
        } catch (const Error& error) {
            finish(error.kind() == Failure::numeric ? "diverged" : "failed", error.what());
            throw;
        }
        if (recipe_.train.steps() == 0) save(0);
        const bool finished = step == recipe_.train.steps();
        finish(finished ? "trained" : "interrupted", "");
        return {std::move(model_), step, finished};
    }

  private:
    Index restore(const Resume& resume) {
        if (resume.kind == Resume::Kind::never) return begin();
        Checkpoint checkpoint;
        fs::path source = resume.path;
        if (resume.kind == Resume::Kind::file) {
            checkpoint = load_checkpoint(source);
            require(checkpoint.recipe == identity_.recipe, Failure::storage,
                    "{}: this checkpoint belongs to another recipe: {}", source.string(),
                    first_difference(identity_.recipe, checkpoint.recipe));
        } else {
            auto found = checkpoints_.newest();
            if (!found) return begin();
            for (const std::string& warning : found->warnings) reporter_.message(warning);
            checkpoint = std::move(found->checkpoint);
            source = found->path;
        }
        const auto wanted = checkpoint.step * recipe_.train.sequences();
        require(checkpoint.cursor == wanted, Failure::storage, "{}: the data cursor is {}, expected {}",
                source.string(), checkpoint.cursor, wanted);
        restore_parameters(checkpoint, model_->parameters(), source.string());
        restore_moments(checkpoint, model_->parameters(), trainer_.mutable_optimizer(), source.string());
        const nlohmann::json before = stored_manifest(folder_);
        if (before.contains("resumed_from") && before["resumed_from"].is_array())
            manifest_["resumed_from"] = before["resumed_from"];
        manifest_["resumed_from"].push_back(checkpoint.step);
        for (const char* field : {"from", "initial_value_hash"})
            if (before.contains(field)) manifest_[field] = before[field];
        return checkpoint.step;
    }

    // Before the first step: drawn values, or those of the run that this one begins with.
    Index begin() {
        if (!recipe_.from.given()) return 0;
        const Beginning beginning = begin_from(cell_, folder_, *model_);
        for (const std::string& note : beginning.notes) reporter_.message(note);
        manifest_["from"] = beginning.manifest;
        manifest_["initial_value_hash"] = initial_value_hash(*model_);
        return 0;
    }

    void announce(Index done) {
        const Index steps = recipe_.train.steps();
        reporter_.message(fmt::format(
            "{}: {} parameters, {} steps of {} tokens, {}; {} of training text in {:.2f} epochs{}",
            folder_.filename().string(), model_->parameters().count(), steps, recipe_.train.batch_tokens,
            recipe_.encoding.kind, order_.summary(), order_.epochs(steps_before(recipe_) + steps),
            done > 0 ? fmt::format("; going on from step {}", done) : ""));
    }

    FitHooks hooks() {
        FitHooks hooks;
        const Index before = steps_before(recipe_);
        hooks.fill = [this, before](Index step, Batch& batch) { order_.fill(before + step - 1, batch); };
        hooks.loss = [this](const Batch& batch, Index first, Index count, Index step) {
            return model_->loss({.tokens = batch.tokens_of(first, count),
                                 .batch = count,
                                 .length = batch.length,
                                 .positions = batch.positions.rows(first, count),
                                 .segments = batch.segments_of(first, count),
                                 .frequency_length = recipe_.data.positions.span(batch.length),
                                 .training = true,
                                 .dropout = {recipe_.train.seed, static_cast<std::uint64_t>(step),
                                             static_cast<std::uint64_t>(first), 0}},
                                batch.targets_of(first, count));
        };
        hooks.validate = [this](Index) {
            const TokenSum sum = split_loss(*model_, data_.splits.valid, recipe_.train.length,
                                            bench_.workers(), recipe_.data.positions);
            return sum.nats / static_cast<double>(sum.tokens);
        };
        hooks.log = [this](const StepRecord& record) {
            log_->write(record);
            show(record);
        };
        hooks.save = [this](Index step) { save(step); };
        hooks.stop = [this] { return reporter_.stop(); };
        return hooks;
    }

    void save(Index step) {
        log_->flush();  // a checkpoint must not outrun its log
        checkpoints_.save(
            capture(model_->parameters(), trainer_.optimizer(), identity_, step, recipe_.train.sequences()));
    }

    void show(const StepRecord& record) {
        seconds_ = record.seconds;
        if (first_step_ == 0) first_step_ = record.step - 1;
        const Index steps = recipe_.train.steps();
        const double rate =
            static_cast<double>((record.step - first_step_) * recipe_.train.batch_tokens) / record.seconds;
        const double left = static_cast<double>((steps - record.step) * recipe_.train.batch_tokens) / rate;
        reporter_.status(fmt::format("{}: step {}/{}  loss {:.4f}  {} tokens/s  {} left",
                                     folder_.filename().string(), record.step, steps, record.loss,
                                     short_count(rate), clock_text(left)));
    }

    void finish(const std::string& state, const std::string& failure) {
        log_->flush();
        manifest_["state"] = state;
        if (!failure.empty()) manifest_["failure"] = failure;
        manifest_["seconds"] = log_->seconds_before() + seconds_;
        manifest_["peak_memory"] = peak_memory();
        write_json(folder_ / "manifest.json", manifest_);
    }

    const Recipe& recipe_;
    const Cell& cell_;
    fs::path folder_;
    Workbench& bench_;
    Reporter& reporter_;
    std::unique_ptr<Transformer> model_;  // before any data is read: sizes that do not fit are refused first
    const LoadedData& data_;
    TrainingOrder order_;
    CheckpointFolder checkpoints_;
    RunIdentity identity_;
    nlohmann::json manifest_;
    Trainer trainer_;
    std::unique_ptr<RunLog> log_;
    Index first_step_ = 0;
    double seconds_ = 0;
};

}  // namespace

TrainedRun train_run(const Cell& cell, Index index, const fs::path& folder, const Resume& resume,
                     Workbench& bench, Reporter& reporter) {
    return TrainSession(cell, index, folder, bench, reporter).run(resume);
}

namespace {

OpenedRun opened(const Checkpoint& checkpoint, const fs::path& source) {
    OpenedRun run;
    run.recipe = expand({source.string(), read_yaml(checkpoint.recipe, source.string())}, {}, recipe_schema())
                     .front()
                     .recipe;
    run.model = make_model(run.recipe);
    restore_parameters(checkpoint, run.model->parameters(), source.string());
    run.step = checkpoint.step;
    return run;
}

}  // namespace

OpenedRun open_run(const fs::path& folder) {
    require(fs::exists(folder / "recipe.yaml"), Failure::storage,
            "{}: not a run folder: it has no recipe.yaml", folder.string());
    const auto found = CheckpointFolder(folder / "checkpoints", 1).newest();
    require(found.has_value(), Failure::storage, "{}: no checkpoint yet", folder.string());
    const std::string recipe = read_file(folder / "recipe.yaml");
    require(recipe == found->checkpoint.recipe, Failure::storage, "{}: not of the recipe in {}: {}",
            found->path.string(), (folder / "recipe.yaml").string(),
            first_difference(recipe, found->checkpoint.recipe));
    OpenedRun run = opened(found->checkpoint, found->path);
    run.warnings = found->warnings;
    if (!run.warnings.empty())
        run.warnings.push_back(fmt::format("{}: this older checkpoint stands in", found->path.string()));
    return run;
}

OpenedRun open_checkpoint(const fs::path& path) {
    return opened(load_checkpoint(path), path);
}

}  // namespace locus::inline LOCUS_SCALAR
