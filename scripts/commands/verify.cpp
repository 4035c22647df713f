#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "recipes/engine/train_run.h"
#include "recipes/engine/verify.h"
#include "scripts/commands/arguments.h"
#include "scripts/commands/terminal.h"

namespace locus {

namespace {

// What is verified under one name: a cell's recipe, or a run with its weights.
struct Subject {
    std::string name;
    OpenedRun run;
};

std::vector<Subject> open_subjects(const Arguments& arguments) {
    const std::string& subject = arguments.subject("RUN or RECIPE");
    std::vector<Subject> subjects;
    if (std::filesystem::is_directory(subject)) {
        arguments.refuse_overrides();
        subjects.push_back({subject, open_run(subject)});
        return subjects;
    }
    for (Cell& cell : expand(read_recipe(subject), arguments.overrides(), recipe_schema())) {
        Subject next{cell.name, {}};
        next.run.recipe = std::move(cell.recipe);
        subjects.push_back(std::move(next));
    }
    return subjects;
}

void print(const Check& check) {
    fmt::print("{}  {:<78} {:>9.3g}  {} {:g}\n", check.passed() ? "ok    " : "FAILED", check.name,
               check.difference, check.at_least ? "above  " : "at most", check.limit);
    std::fflush(stdout);
}

}  // namespace

int verify_command(const Words& words) {
    const Arguments arguments("verify RUN|RECIPE [key=value ...]", words,
                              {
                                  {"threads", "worker threads, compared with one", "N"},
                                  {"json", "one JSON document"},
                              });
    if (arguments.help()) return 0;
    const std::vector<Subject> subjects = open_subjects(arguments);
    const bool as_json = arguments.has("json");
    VerifyOptions options;
    options.threads = std::max(2, arguments.threads());
    if (!as_json) options.show = print;

    nlohmann::json all = {{"subjects", nlohmann::json::array()}, {"checks", nlohmann::json::array()}};
    bool passed = true;
    for (const Subject& subject : subjects) {
        for (const std::string& warning : subject.run.warnings) fmt::print(stderr, "{}\n", warning);
        if (!as_json) fmt::print("{}\n", subject.name);
        const VerifyReport report = verify(subject.run.recipe, subject.run.model.get(), options);
        passed = passed && report.passed();
        if (!as_json)
            fmt::print("encoding {}: logits of standard deviation {:.3g}; without it they change by {:.3g}\n",
                       report.encoding, report.logit_deviation, report.encoding_effect);
        if (report.trained && report.encoding != "nope" && report.encoding_effect <= 1e-2)
            fmt::print(stderr, "{}: its encoding hardly matters: verify its recipe to learn more\n",
                       subject.name);
        nlohmann::json json = to_json(report);
        for (nlohmann::json check : json["checks"]) {
            if (subjects.size() > 1) check["name"] = subject.name + ": " + check["name"].get<std::string>();
            all["checks"].push_back(std::move(check));
        }
        json.erase("checks");
        json["name"] = subject.name;
        all["subjects"].push_back(std::move(json));
    }
    all["passed"] = passed;
    if (as_json) fmt::print("{}\n", all.dump(2));
    if (!passed && !as_json) fmt::print("not all checks passed\n");
    return passed ? 0 : static_cast<int>(Failure::check);
}

}  // namespace locus
