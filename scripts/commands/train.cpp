#include <fmt/core.h>

#include "recipes/engine/train_run.h"
#include "recipes/engine/write.h"
#include "scripts/commands/arguments.h"
#include "scripts/commands/terminal.h"

namespace locus {

namespace {

Resume parse_resume(const std::string& text) {
    if (text == "auto") return {};
    if (text == "never") return {Resume::Kind::never};
    return {Resume::Kind::file, text};
}

}  // namespace

int train_command(const Words& words) {
    const Arguments arguments("train RECIPE [key=value ...] --out DIR", words, [](cxxopts::OptionAdder& add) {
        add("out", "run folder", cxxopts::value<std::string>());
        add("resume", "auto (from the folder's newest checkpoint), never, or a checkpoint's path",
            cxxopts::value<std::string>()->default_value("auto"));
        add("threads", "worker threads", cxxopts::value<std::string>());
        add("dry-run", "print the resolved recipe and do nothing");
        add("gemm", "matrix products by: openblas", cxxopts::value<std::string>()->default_value("openblas"));
    });
    if (arguments.help()) return 0;
    require(arguments.text("gemm") == "openblas", "--gemm: expected openblas, found '{}'",
            arguments.text("gemm"));
    const auto cells =
        expand(read_recipe(arguments.subject("RECIPE")), arguments.overrides(), recipe_schema());
    require(cells.size() == 1, "{}: varies over {} cells; `locus run` trains them all, vary={{}} none",
            arguments.subject("RECIPE"), cells.size());
    if (arguments.flag("dry-run")) {
        make_model(cells.front().recipe);  // refuses sizes that do not fit
        fmt::print("{}", write_recipe(cells.front().recipe, recipe_schema()));
        return 0;
    }
    const std::string out = arguments.needed("out");
    Terminal terminal;
    Workbench bench(arguments.threads());
    const TrainedRun run =
        train_run(cells.front(), 0, out, parse_resume(arguments.text("resume")), bench, terminal);
    terminal.message(
        fmt::format("{}: {} after step {}", out, run.finished ? "trained" : "stopped and saved", run.step));
    return run.finished ? 0 : static_cast<int>(Failure::interrupted);
}

}  // namespace locus
