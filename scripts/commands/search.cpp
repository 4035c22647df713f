#include "recipes/engine/search/search.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "recipes/engine/config/write.h"
#include "scripts/commands/arguments.h"
#include "scripts/commands/output.h"
#include "scripts/commands/ranks.h"
#include "scripts/commands/terminal.h"

namespace locus {

namespace {

int search(const Words& words, const Communicator& world) {
    const Arguments arguments("search RECIPE [key=value ...] --out DIR", words,
                              {
                                  {"out", "folder of the search, from which it goes on", "DIR"},
                                  {"threads", "worker threads", "N"},
                                  {"arms", "the one that is searched for", "A"},
                                  {"json", "one JSON document"},
                              });
    if (arguments.help()) return 0;
    const std::string& recipe = arguments.subject("RECIPE");
    const Cell cell = one_cell(expand(read_recipe(recipe), arguments.overrides(), recipe_schema()), recipe,
                               "a search is about one model, ");
    const std::string out = arguments.needed("out");
    SearchResult result;
    {
        Terminal terminal(world.is_root());
        Workbench bench(threads_of(arguments, world, terminal), world);
        const FolderLock lock = lock_of(out, write_recipe(cell.recipe, recipe_schema()), world, terminal);
        result = run_search(cell, out, bench, terminal);
        if (!result.finished) {
            terminal.message(fmt::format("{}: stopped in iteration {} and saved; the same command goes on",
                                         out, result.iterations + 1));
            return static_cast<int>(Failure::interrupted);
        }
        for (const SearchVerdict& verdict : result.verdicts) {
            const std::string interval =
                verdict.interval
                    ? fmt::format(" [{:+.4f}, {:+.4f}]", verdict.interval->low, verdict.interval->high)
                    : ", no interval";
            terminal.message(fmt::format("split {}: {:.4f} nats per token, {:+.4f} better than {}{}",
                                         result.unseen, result.unseen_nats, verdict.gain, verdict.against,
                                         interval));
        }
        if (result.verdicts.empty()) terminal.message("not judged: " + result.unseen);
    }
    if (!world.is_root()) return 0;
    if (arguments.has("json"))
        put("{}\n", to_json(result).dump(2));
    else
        put("{}", result.fragment);
    return 0;
}

}  // namespace

int search_command(const Words& words) {
    return with_ranks(words, [&](const Communicator& world) { return search(words, world); });
}

}  // namespace locus
