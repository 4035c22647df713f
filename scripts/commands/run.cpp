#include <fmt/core.h>

#include "recipes/engine/experiment.h"
#include "recipes/engine/table.h"
#include "recipes/engine/write.h"
#include "scripts/commands/arguments.h"
#include "scripts/commands/terminal.h"

namespace locus {

namespace {

int dry_run(const std::vector<Cell>& cells) {
    for (const Cell& cell : cells) {
        make_trainable_model(cell.recipe);  // refuses sizes that do not fit
        fmt::print("# {}\n{}\n", cell.name, write_recipe(cell.recipe, recipe_schema()));
    }
    return 0;
}

}  // namespace

int run_command(const Words& words) {
    const Arguments arguments("run RECIPE [key=value ...] --out DIR", words,
                              {
                                  {"out", "folder of the run folders and the table", "DIR"},
                                  {"threads", "worker threads", "N"},
                                  {"dry-run", "print every cell's resolved recipe and do nothing"},
                              });
    if (arguments.help()) return 0;
    const auto cells =
        expand(read_recipe(arguments.subject("RECIPE")), arguments.overrides(), recipe_schema());
    if (arguments.has("dry-run")) return dry_run(cells);
    for (const Cell& cell : cells) make_trainable_model(cell.recipe);  // all are checked before any work
    const std::string out = arguments.needed("out");
    ExperimentResult result;
    {
        Terminal terminal;
        Workbench bench(arguments.threads());
        result = run_experiment(cells, out, bench, terminal);
        if (result.interrupted) {
            terminal.message(fmt::format("{}: stopped and saved; the same command goes on", out));
            return static_cast<int>(Failure::interrupted);
        }
        for (const std::string& failure : result.failed) terminal.message("failed: " + failure);
    }
    fmt::print("{}", text_of(write_tables(out), TableFormat::markdown));
    fmt::print(stderr, "run folders and table.{{md,csv,tex,json}}: {}\n", out);
    return result.failed.empty() ? 0 : static_cast<int>(Failure::check);
}

}  // namespace locus
