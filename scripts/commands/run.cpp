#include <fmt/core.h>

#include <algorithm>

#include "framework/distributed/rank_errors.h"
#include "framework/train/trainer.h"
#include "recipes/engine/config/power.h"
#include "recipes/engine/config/write.h"
#include "recipes/engine/experiment/experiment.h"
#include "recipes/engine/report/table.h"
#include "recipes/engine/run/begin_from.h"
#include "recipes/engine/run/workbench.h"
#include "scripts/commands/arguments.h"
#include "scripts/commands/output.h"
#include "scripts/commands/ranks.h"
#include "scripts/commands/terminal.h"

namespace locus {

namespace {

// Refuses sizes that do not fit, those of an ancestor included.
void check(const std::vector<Cell>& cells, int threads) {
    for (const Cell& cell : cells) {
        make_trainable_model(cell.recipe, threads);
        check_beginning(cell);
    }
}

// A cell that one rank trains has shards for so many threads; its evaluation uses all.
void note_idle_threads(const std::vector<Cell>& cells, const ExperimentRanks& ranks, Reporter& reporter) {
    Index max = 1;
    for (const Cell& cell : cells) max = std::max(max, shards_of_step(cell.recipe.train));
    if (ranks.threads > max)
        reporter.message(
            fmt::format("threads: training uses {} of {}, as a step has no more shards (train.shards); "
                        "the evaluations use all",
                        max, ranks.threads));
}

int dry_run(const std::vector<Cell>& cells) {
    check(cells, 1);
    if (const std::string caution = caution_of_power(cells); !caution.empty()) tell("{}\n", caution);
    for (const Cell& cell : cells) {
        put("# {}\n{}\n", cell.name, write_recipe(cell.recipe, recipe_schema()));
    }
    return 0;
}

// A grid that the command line cuts down is a part of the experiment that its recipe describes.
bool is_part(const Arguments& arguments) {
    const Words& overrides = arguments.overrides();
    return std::any_of(overrides.begin(), overrides.end(),
                       [](const std::string& word) { return word.starts_with("vary."); });
}

// Failures, and the table of what there is.
void report(const ExperimentResult& result, const std::string& out) {
    for (const std::string& failure : result.failed) tell("failed: {}\n", failure);
    if (result.elsewhere > 0)
        tell("{} cells are left to other processes; the one that ends last makes the whole table\n",
             result.elsewhere);
    try {
        put("{}", text_of(write_tables(out), "md"));
        tell("run folders and table.{{md,csv,tex,json}}: {}\n", out);
        tell("figures: scripts/plot.py {} draws them (of an installed program: locus-plot {})\n", out, out);
    } catch (const Error& error) {  // no cell may have come far enough to be in a table
        if (result.failed.empty()) throw;
        tell("no table: {}\n", error.what());
    }
}

int run(const Words& words, const Communicator& world) {
    const Arguments arguments(
        "run RECIPE [key=value ...] --out DIR", words,
        {
            {"out", "folder of the run folders and the table", "DIR"},
            {"threads", "worker threads of a rank", "N"},
            {"ranks-per-cell",
             "under mpirun: ranks that train a cell; as many cells at once as that allows. "
             "Not given: what ends first by a short measurement",
             "K"},
            {"arms", "only these, and those that they begin with", "A,..."},
            {"dry-run", "print every cell's resolved recipe and do nothing"},
        });
    if (arguments.help()) return 0;
    const auto earlier = [&](const std::string& name) {
        return std::filesystem::path(arguments.has("out") ? arguments.text("out") : "") / name;
    };
    const auto cells =
        expand(read_recipe(arguments.subject("RECIPE")), arguments.overrides(), recipe_schema(), earlier);
    if (arguments.has("dry-run")) return dry_run(cells);
    const std::string out = arguments.needed("out");
    ExperimentRanks ranks{world};
    {
        Terminal terminal(world.is_root());
        ranks.threads = threads_of(arguments, world, terminal);
        check(cells, ranks.threads);  // all, before any work
        note_idle_threads(cells, ranks, terminal);
        if (const std::string caution = caution_of_power(cells); !caution.empty()) terminal.message(caution);
    }
    if (arguments.has("ranks-per-cell"))
        ranks.ranks_per_cell = parse_count(arguments.text("ranks-per-cell"), "--ranks-per-cell", 1);
    ExperimentResult result;
    {
        Terminal terminal;
        result = run_experiment(cells, out, ranks, terminal, is_part(arguments));
    }
    if (result.interrupted) {
        if (world.is_root()) tell("{}: stopped and saved; the same command goes on\n", out);
        return static_cast<int>(Failure::interrupted);
    }
    const bool idle = result.done == 0 && result.failed.empty();
    require(
        result.elsewhere == 0 || !idle, Failure::storage,
        "{}: is in use: nothing is left to do here, as other processes work on the {} {} that {} not done",
        out, result.elsewhere, result.elsewhere == 1 ? "cell" : "cells",
        result.elsewhere == 1 ? "is" : "are");
    on_root(world, [&] { report(result, out); });
    return result.failed.empty() ? 0 : static_cast<int>(Failure::check);
}

}  // namespace

int run_command(const Words& words) {
    return with_ranks(words, [&](const Communicator& world) { return run(words, world); });
}

}  // namespace locus
