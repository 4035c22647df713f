#include "recipes/engine/card/card.h"

#include <fmt/core.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "framework/io/checkpoint.h"
#include "framework/train/state.h"
#include "recipes/engine/run/train_run.h"
#include "scripts/commands/arguments.h"
#include "scripts/commands/output.h"

namespace locus {

namespace {

// The recipe and model of a recipe file, a run folder (trained) or a checkpoint (trained).
OpenedRun open_subject(const Arguments& arguments) {
    const std::string& subject = arguments.subject("RECIPE, RUN or FILE");
    std::error_code unknown;  // reading it says what is wrong
    const bool folder = std::filesystem::is_directory(subject, unknown);
    if (folder || std::filesystem::path(subject).extension() == ".h5") {
        arguments.refuse_overrides();
        return folder ? open_run(subject) : open_checkpoint(subject);
    }
    OpenedRun run;
    run.recipe =
        one_cell(expand(read_recipe(subject), arguments.overrides(), recipe_schema()), subject).recipe;
    run.model = make_model(run.recipe);
    return run;
}

std::vector<std::int64_t> parse_positions(const std::string& text) {
    std::vector<std::int64_t> positions;
    for (const std::string& part : parse_list(text)) positions.push_back(parse_count(part, "--positions", 0));
    return positions;
}

}  // namespace

int card_command(const Words& words) {
    const Arguments arguments("card RECIPE|RUN|FILE [key=value ...]", words,
                              {
                                  {"positions", "of the tables, separated by commas", "N,..."},
                                  {"arms", "the one that is shown", "A"},
                                  {"length", "tokens that the model runs on", "N"},
                                  {"json", "one JSON document"},
                              });
    if (arguments.help()) return 0;
    CardQuestion question;
    if (arguments.has("positions")) question.positions = parse_positions(arguments.text("positions"));
    if (arguments.has("length")) question.length = parse_count(arguments.text("length"), "--length", 1);
    const OpenedRun run = open_subject(arguments);
    for (const std::string& warning : run.warnings) tell("{}\n", warning);
    const nlohmann::json card = card_json(run.recipe, *run.model, question);
    put("{}", arguments.has("json") ? card.dump(2) + "\n" : card_text(card));
    return 0;
}

}  // namespace locus
