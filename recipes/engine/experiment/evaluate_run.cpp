#include "recipes/engine/experiment/evaluate_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "data/tokenizer.h"
#include "framework/distributed/rank_errors.h"
#include "framework/io/checksum.h"
#include "framework/io/machine.h"
#include "recipes/engine/config/write.h"
#include "recipes/engine/evaluation/evaluate.h"
#include "recipes/engine/evaluation/evaluation_store.h"
#include "recipes/engine/experiment/cell_runner.h"
#include "recipes/engine/run/manifest.h"

namespace fs = std::filesystem;

namespace locus {

namespace {

// XXH3-128 of what was scored: protocols, documents, places and targets; not of the losses.
std::string items_hash(const EvaluationReport& report) {
    Checksum checksum;
    for (const ProtocolRun& run : report.runs) {
        checksum.add(run.protocol + " " + run.split);
        for (const auto* numbers : {&run.losses.document, &run.losses.index}) {
            checksum.add(std::span<const Index>(*numbers));
        }
        checksum.add(std::as_bytes(std::span(run.losses.target)));
    }
    return checksum.hex();
}

// All that the loss of a token depends on, besides what is scored.
std::string evaluation_identity(Recipe recipe, const Transformer& model, const LoadedData& data) {
    recipe.evaluate = {};
    Checksum sum;
    sum.add(write_recipe(recipe, recipe_schema()));
    sum.add(std::as_bytes(model.parameters().values().values()));
    sum.add(data.corpus.hash);
    sum.add(machine_manifest().dump());
    return sum.hex();
}

// Keeps what a stopped evaluation has finished. A folder that cannot be written to is no reason to hang on.
[[noreturn]] void leave(const EvaluationDraft& draft, const fs::path& folder, const Communicator& group,
                        const Error& stopped) {
    std::string kept = "nothing was finished yet";
    try {
        if (!draft.losses.empty()) {
            on_root(group, [&] { save(draft, folder); });
            kept = fmt::format("{} {} kept, and the same command goes on from there", draft.losses.size(),
                               draft.losses.size() == 1 ? "finished length is" : "finished lengths are");
        }
    } catch (const Error& error) {
        kept = fmt::format("nothing is kept ({})", error.what());
    }
    fail(Failure::interrupted, "{}: the evaluation ends here ({}); {}", folder.string(), stopped.what(),
         kept);
}

}  // namespace

Identity measured_with(const Transformer& model, const LoadedData& data, const fs::path& folder) {
    const Identity recorded = recorded_in(folder);
    Identity measured = identity_of_process();
    measured.merge(identity_of(data));
    measured[Thing::parameters] = parameters_hash(model);
    if (const auto recipe = recorded.find(Thing::recipe); recipe != recorded.end()) measured.insert(*recipe);
    return measured;
}

void keep_evaluation(const EvaluationReport& report, const fs::path& folder, const Identity& measured) {
    save(report, folder, measured);
    change_manifest(folder, [&](Manifest& manifest) { manifest.evaluation_items_hash = items_hash(report); });
}

EvaluationReport evaluate_run(const Recipe& recipe, const Transformer& model, const fs::path& folder,
                              Workbench& bench, Reporter& reporter) {
    const std::string name = folder.has_filename() ? folder.filename().string() : folder.string();
    const LoadedData& data = bench.data(recipe.data);
    if (!bench.group().alone()) require_alike_identity(bench.group(), identity_of(data));
    const EvaluateOptions& options = recipe.evaluate;
    const Split& split = options.split == EvaluatedSplit::test ? data.splits.test : data.splits.valid;
    // Gains are counted from the length that the model had before anything was extended.
    const EvaluationPlan plan{options.lengths,     options.protocols,      options.targets,
                              root_length(recipe), data.splits.contiguous, recipe.data.positions,
                              cautions_of(recipe)};
    const auto tokenizer = make_tokenizer(recipe.data.tokenizer);
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    const auto show = [&](Index done, Index total) {
        const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        const double rate = static_cast<double>(done) / std::max(seconds, 1e-9);
        reporter.status(fmt::format("evaluation {:.0f} %  {} left  {} tokens/s  {}",
                                    100.0 * static_cast<double>(done) / static_cast<double>(total),
                                    clock_text(static_cast<double>(total - done) / rate), short_count(rate),
                                    name));
    };
    EvaluationDraft draft = load_draft(folder, evaluation_identity(recipe, model, data), bench.group());
    if (!draft.losses.empty() && bench.group().is_root())
        reporter.message(fmt::format("{}: the evaluation goes on after {} finished {}", name,
                                     draft.losses.size(), draft.losses.size() == 1 ? "length" : "lengths"));
    try {
        EvaluationReport report =
            evaluate(model, split, plan, *tokenizer, bench.workers(), show, bench.group(), &draft);
        if (bench.group().is_root()) remove_draft(folder);
        return report;
    } catch (const Error& error) {
        if (error.kind() != Failure::interrupted) throw;
        leave(draft, folder, bench.group(), error);
    }
}

}  // namespace locus
