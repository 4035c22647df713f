#include <fmt/core.h>

#include "framework/distributed/together.h"
#include "recipes/engine/begin_from.h"
#include "recipes/engine/experiment.h"
#include "recipes/engine/table.h"
#include "recipes/engine/write.h"
#include "scripts/commands/arguments.h"
#include "scripts/commands/ranks.h"
#include "scripts/commands/terminal.h"

namespace locus {

namespace {

// Refuses sizes that do not fit, those of an ancestor included.
void check(const std::vector<Cell>& cells) {
    for (const Cell& cell : cells) {
        make_trainable_model(cell.recipe);
        check_beginning(cell);
    }
}

int dry_run(const std::vector<Cell>& cells) {
    check(cells);
    for (const Cell& cell : cells) {
        fmt::print("# {}\n{}\n", cell.name, write_recipe(cell.recipe, recipe_schema()));
    }
    return 0;
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
            {"dry-run", "print every cell's resolved recipe and do nothing"},
        });
    if (arguments.help()) return 0;
    const auto cells =
        expand(read_recipe(arguments.subject("RECIPE")), arguments.overrides(), recipe_schema());
    if (arguments.has("dry-run")) return dry_run(cells);
    check(cells);  // all, before any work
    const std::string out = arguments.needed("out");
    ExperimentRanks ranks{world, 0, arguments.threads(world.sharing_cores())};
    if (arguments.has("ranks-per-cell"))
        ranks.ranks_per_cell = parse_count(arguments.text("ranks-per-cell"), "--ranks-per-cell", 1);
    ExperimentResult result;
    {
        Terminal terminal;
        result = run_experiment(cells, out, ranks, terminal);
    }
    if (result.interrupted) {
        if (world.is_root()) fmt::print(stderr, "{}: stopped and saved; the same command goes on\n", out);
        return static_cast<int>(Failure::interrupted);
    }
    on_root(world, [&] {
        for (const std::string& failure : result.failed) fmt::print(stderr, "failed: {}\n", failure);
        fmt::print("{}", text_of(write_tables(out), TableFormat::markdown));
        fmt::print(stderr, "run folders and table.{{md,csv,tex,json}}: {}\n", out);
    });
    return result.failed.empty() ? 0 : static_cast<int>(Failure::check);
}

}  // namespace

int run_command(const Words& words) {
    return with_ranks(words, [&](const Communicator& world) { return run(words, world); });
}

}  // namespace locus
