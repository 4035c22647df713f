#include <fmt/core.h>

#include "framework/train/trainer.h"
#include "recipes/engine/config/write.h"
#include "recipes/engine/run/begin_from.h"
#include "recipes/engine/run/train_run.h"
#include "scripts/commands/arguments.h"
#include "scripts/commands/output.h"
#include "scripts/commands/ranks.h"
#include "scripts/commands/terminal.h"

namespace locus {

namespace {

Resume parse_resume(const std::string& text) {
    if (text == "auto") return {};
    require(!text.empty(), "--resume: expected auto, never or a checkpoint's path, found ''");
    if (text == "never") return {Resume::Kind::never};
    return {Resume::Kind::file, text};
}

GemmBackend parse_gemm(const std::string& text) {
    require(text == "own" || text == "openblas", "--gemm: expected own or openblas, found '{}'", text);
    return text == "own" ? GemmBackend::own : GemmBackend::openblas;
}

// A rank's share of the shards of a step: more threads would wait.
int useful_threads(int threads, const Recipe& recipe, const Communicator& world, Reporter& reporter) {
    const Index shards = shards_of_step(recipe.train);
    const Index useful = (shards + world.size() - 1) / world.size();
    if (threads <= useful) return threads;
    reporter.message(fmt::format(
        "threads: {} taken, not {}: a step has {} {} (train.shards {}, {} sequences){}", useful, threads,
        shards, shards == 1 ? "shard" : "shards", recipe.train.shards, recipe.train.sequences(),
        world.alone() ? "" : fmt::format(" on {} ranks", world.size())));
    return static_cast<int>(useful);
}

int train(const Words& words, const Communicator& world) {
    const Arguments arguments(
        "train RECIPE [key=value ...] --out DIR", words,
        {
            {"out", "run folder", "DIR"},
            {"resume", "auto (from the folder's newest checkpoint), never, or a checkpoint's path",
             "auto|never|PATH", "auto"},
            {"threads", "worker threads", "N"},
            {"arms", "the one that is trained", "A"},
            {"dry-run", "print the resolved recipe and do nothing"},
            {"profile", "a table of time by op on stdout, and profile.json in the run folder"},
            {"gemm", "matrix products of the training steps by Locus's own kernel or by OpenBLAS",
             "own|openblas", "own"},
        });
    if (arguments.help()) return 0;
    const GemmBackend backend = parse_gemm(arguments.text("gemm"));
    const std::string& recipe = arguments.subject("RECIPE");
    const auto earlier = [&](const std::string&) {
        return arguments.has("out") ? arguments.text("out") : "";
    };
    const Cell cell = one_cell(expand(read_recipe(recipe), arguments.overrides(), recipe_schema(), earlier),
                               recipe, "`locus run` trains them all, ");
    check_beginning(cell);
    if (arguments.has("dry-run")) {
        make_trainable_model(cell.recipe);  // refuses sizes that do not fit
        put("{}", write_recipe(cell.recipe, recipe_schema()));
        return 0;
    }
    const std::string out = arguments.needed("out");
    Terminal terminal(world.is_root());
    Workbench bench(useful_threads(threads_of(arguments, world, terminal), cell.recipe, world, terminal),
                    world, backend);
    const FolderLock lock = lock_of(out, write_recipe(cell.recipe, recipe_schema()), world, terminal);
    Profile profile(bench.workers().count());
    const TrainedRun run = train_run(cell, 0, out, parse_resume(arguments.text("resume")), bench, terminal,
                                     arguments.has("profile") ? &profile : nullptr);
    terminal.message(
        fmt::format("{}: {} after step {}", out, run.finished ? "trained" : "stopped and saved", run.step));
    if (arguments.has("profile") && run.profile.empty()) terminal.message("no step was left to profile");
    put("{}", run.profile);
    return run.finished ? 0 : static_cast<int>(Failure::interrupted);
}

}  // namespace

int train_command(const Words& words) {
    return with_ranks(words, [&](const Communicator& world) { return train(words, world); });
}

}  // namespace locus
