#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "framework/distributed/rank_errors.h"
#include "recipes/engine/config/write.h"
#include "recipes/engine/run/train_run.h"
#include "recipes/engine/verify/verify.h"
#include "scripts/commands/arguments.h"
#include "scripts/commands/output.h"
#include "scripts/commands/ranks.h"
#include "scripts/commands/terminal.h"

namespace locus {

namespace {

// What is verified under one name: the recipe of a cell or run, or a run with its weights.
struct Subject {
    std::string name;
    OpenedRun run;
};

// A cell without what changes no equivalence: its seed, and what it is called.
std::string shape_of(Recipe recipe) {
    recipe.train.seed = 0;
    recipe.cell.clear();
    return write_recipe(recipe, recipe_schema());
}

// A run is verified as the run that it says it is, its text included, where that can be had.
void check_text(const Subject& subject, const Communicator& world) {
    on_root(world, [&] {
        Workbench bench(1);
        const LoadedData* data = nullptr;
        try {
            data = &bench.data(subject.run.recipe.data);
        } catch (const Error& error) {
            if (error.kind() != Failure::data && error.kind() != Failure::usage) throw;
            tell("{}: its text cannot be compared with that of its training: {}\n", subject.name,
                 error.what());
        }
        if (data != nullptr) admit_text(subject.run, *data, subject.name);
    });
}

std::vector<Subject> open_subjects(const Arguments& arguments, const Communicator& world) {
    const std::string& subject = arguments.subject("RUN or RECIPE");
    std::vector<Subject> subjects;
    std::error_code unknown;  // reading it says what is wrong
    if (std::filesystem::is_directory(subject, unknown)) {
        arguments.refuse_overrides();
        subjects.push_back({subject, open_run(subject, world)});
        check_text(subjects.front(), world);
        // weights of little training prove little: the same model with drawn parameters as well
        Subject drawn{subject + " with drawn parameters", {}};
        drawn.run.recipe = subjects.front().run.recipe;
        subjects.push_back(std::move(drawn));
        return subjects;
    }
    std::set<std::string> seen;
    for (Cell& cell : expand(read_recipe(subject), arguments.overrides(), recipe_schema())) {
        if (!seen.insert(shape_of(cell.recipe)).second) continue;
        Subject next{cell.name, {}};
        next.run.recipe = std::move(cell.recipe);
        subjects.push_back(std::move(next));
    }
    return subjects;
}

void print(const Check& check) {
    put("{}  {:<78} {:>9.3g}  {} {:g}\n", check.passed() ? "ok    " : "FAILED", check.name,
        unsigned_nan(check.difference), check.at_least ? "above  " : "at most", check.limit);
    flush_results();
}

int verify_over(const Communicator& world, const Words& words) {
    const Arguments arguments("verify RUN|RECIPE [key=value ...]", words,
                              {
                                  {"threads", "worker threads, compared with one", "N"},
                                  {"arms", "only these", "A,..."},
                                  {"json", "one JSON document"},
                              });
    if (arguments.help()) return 0;
    Terminal terminal(world.is_root());
    const std::vector<Subject> subjects = open_subjects(arguments, world);
    const bool as_json = arguments.has("json");
    VerifyOptions options;
    options.threads = std::max(2, threads_of(arguments, world, terminal));
    options.group = world;
    const bool speaks = world.is_root();
    if (!as_json && speaks) options.show = print;

    nlohmann::json all = {{"subjects", nlohmann::json::array()}, {"checks", nlohmann::json::array()}};
    bool passed = true;
    for (const Subject& subject : subjects) {
        for (const std::string& warning : subject.run.warnings)
            if (speaks) tell("{}\n", warning);
        if (!as_json && speaks) put("{}\n", subject.name);
        const VerifyReport report = verify(subject.run.recipe, subject.run.model.get(), options);
        passed = passed && report.passed();
        if (!as_json && speaks)
            put("encoding {}: logits of standard deviation {:.3g}; without it they change by {:.3g}\n",
                report.encoding, report.logit_deviation, report.encoding_effect);
        nlohmann::json found = to_json(report);
        for (nlohmann::json check : found["checks"]) {
            if (subjects.size() > 1) check["name"] = subject.name + ": " + check["name"].get<std::string>();
            all["checks"].push_back(std::move(check));
        }
        found.erase("checks");
        found["name"] = subject.name;
        all["subjects"].push_back(std::move(found));
    }
    all["passed"] = passed;
    if (!speaks) return 0;  // rank 0's verdict counts
    if (as_json) put("{}\n", all.dump(2));
    if (!passed && !as_json) put("not all checks passed\n");
    return passed ? 0 : static_cast<int>(Failure::check);
}

}  // namespace

int verify_command(const Words& words) {
    return with_ranks(words, [&](const Communicator& world) { return verify_over(world, words); });
}

}  // namespace locus
