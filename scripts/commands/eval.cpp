#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "framework/distributed/rank_errors.h"
#include "framework/io/json_file.h"
#include "recipes/engine/evaluation/evaluation_store.h"
#include "recipes/engine/experiment/cell_runner.h"
#include "recipes/engine/experiment/evaluate_run.h"
#include "recipes/engine/experiment/experiment.h"
#include "recipes/engine/identity/history.h"
#include "recipes/engine/measure/metric.h"
#include "recipes/engine/run/manifest.h"
#include "scripts/commands/arguments.h"
#include "scripts/commands/output.h"
#include "scripts/commands/ranks.h"
#include "scripts/commands/result_file.h"
#include "scripts/commands/terminal.h"

namespace locus {

namespace {

void apply(const Arguments& arguments, EvaluateOptions& options) {
    if (arguments.has("lengths")) {
        options.lengths.clear();
        for (const std::string& part : parse_list(arguments.text("lengths"))) {
            options.lengths.push_back(parse_count(part, "--lengths", 1));
        }
    }
    if (arguments.has("protocol")) {
        options.protocols.clear();
        for (const std::string& name : parse_list(arguments.text("protocol"))) {
            options.protocols.push_back(parse_protocol(name));
        }
    }
    if (!arguments.has("split")) return;
    const std::string split = arguments.text("split");
    require(split == "valid" || split == "test", "--split: expected valid or test, found '{}'", split);
    options.split = split == "test" ? EvaluatedSplit::test : EvaluatedSplit::valid;
}

// "length 64", "bin [8, 16)", and what else it was measured at.
std::string label(const Record& record) {
    std::string text;
    for (const auto& [axis, place] : record.coordinates)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", axis, text_of(place));
    return text;
}

void print(const Record& record) {
    put("  {:<16}", label(record));
    if (record.state != RecordState::ok)
        return put(" \u2014  {}: {}\n", to_string(record.state), record.reason);
    for (const auto& [name, measured] : record.metrics) {
        const Metric& metric = MetricRegistry::instance().at(name);
        if (measured.value) put(" {:.{}f} {},", *measured.value, metric.decimals, metric.unit);
    }
    put(" {} tokens\n", record.count.value_or(0));
}

void print(const EvaluationReport& report) {
    for (const ProtocolRun& run : report.runs) {
        const Index documents = run.documents.value_or(0);
        put("{} on {} ({} {}, {}; start token: {}; tail: {})\n", run.protocol, run.split, documents,
            documents == 1 ? "document" : "documents", run.text, run.bos, run.tail);
        for (const Record& record : run.records) print(record);
        for (const auto& [name, fact] : run.facts) {
            std::string words = name;
            std::replace(words.begin(), words.end(), '_', ' ');
            if (fact) put("  {}: {}\n", words, *fact);
        }
        for (const std::string& note : run.notes) put("  note: {}\n", note);
    }
}

// What the run folder is to hold of an evaluation.
enum class Kept { nothing, of_recipe, beside };

// Whether the parameters are not those that the training ended with, as an older checkpoint stands in.
bool is_another_model(const Identity& recorded, const Identity& measured) {
    const auto trained = recorded.find(Thing::parameters);
    return trained != recorded.end() && trained->second != measured.at(Thing::parameters);
}

Kept what_to_keep(const Arguments& arguments, const std::string& folder, const Identity& measured,
                  Reporter& reporter) {
    if (is_another_model(recorded_in(folder), measured)) {
        reporter.message(fmt::format(
            "not kept: measured on {} with other parameters than those it was trained to", folder));
        return Kept::nothing;
    }
    const bool of_recipe = !arguments.has("lengths") && !arguments.has("protocol") && !arguments.has("split");
    if (arguments.has("keep")) return of_recipe ? Kept::of_recipe : Kept::beside;
    if (of_recipe && !has_evaluations(folder)) return Kept::of_recipe;
    reporter.message(of_recipe
                         ? fmt::format("not kept: {} has the results of this evaluation already; --keep "
                                       "replaces them",
                                       folder)
                         : "not kept: the evaluations of a run folder, from which its table is made, are "
                           "those of its recipe; --keep puts others beside them");
    return Kept::nothing;
}

// Puts results into the run folder, and into its history what was done under other circumstances.
void leave_in(const std::string& folder, const EvaluationReport& report, Kept kept, const Identity& measured,
              const std::vector<Change>& changes) {
    if (kept == Kept::nothing && changes.empty()) return;
    const FolderLock lock = lock_folder(folder);
    Event event = event_now("evaluated", changes);
    if (kept == Kept::of_recipe) {
        keep_evaluation(report, folder, measured);
        event.kept = {"summary"};
    } else if (kept == Kept::beside) {
        event.kept = save_beside(report, folder, measured);
    }
    change_manifest(folder, [&](Manifest& manifest) { manifest.history.push_back(std::move(event)); });
}

// A text that changed is said with every number that was measured on it.
void mark(EvaluationReport& report, const std::vector<Change>& changes) {
    for (const Change& change : changes)
        for (ProtocolRun& run : report.runs)
            run.notes.push_back("measured on another text than that of the training: " + text_of(change));
}

bool is_finite(const EvaluationReport& report) {
    bool scored = false;
    for (const ProtocolRun& run : report.runs) {
        for (const Record& record : run.records) {
            if (record.state == RecordState::ok) return true;
            scored = scored || record.state == RecordState::diverged;
        }
    }
    return !scored;
}

// Results first: no folder that cannot be written to stands before them.
void deliver(const Arguments& arguments, const EvaluationReport& report, const std::string& folder, Kept kept,
             const Identity& measured, const std::vector<Change>& changes) {
    if (arguments.has("json")) {
        put("{}\n", to_json(report).dump(2));
    } else {
        print(report);
    }
    flush_results();
    if (arguments.has("per-token")) write_losses(report, arguments.needed("per-token"));
    try {
        leave_in(folder, report, kept, measured, changes);
    } catch (const Error& error) {
        if (error.kind() != Failure::storage || arguments.has("keep")) throw;
        tell("not kept: {}\n", error.what());
    }
}

int evaluate(const Words& words, const Communicator& world) {
    const Arguments arguments(
        "eval RUN [--lengths 64,128] [--protocol NAME[:ARG]]... [--split valid|test]", words,
        {
            {"lengths", "tokens, separated by commas", "N,..."},
            {"protocol", protocol_forms() + "; more than one: given again, or separated by commas",
             "NAME[:ARG]", "", true},
            {"split", "the documents that are scored", "valid|test"},
            {"keep",
             "put the results into the run folder: over those of its recipe's evaluation, others beside"},
            {"per-token", "write the loss of every token, in HDF5", "FILE"},
            {"allow-changed-corpus", "score a text that has changed since the training; the results say so"},
            {"threads", "worker threads", "N"},
            {"json", "one JSON document"},
        });
    if (arguments.help()) return 0;
    const std::string folder = arguments.subject("RUN");
    if (arguments.has("per-token"))
        on_root(world,
                [&] { check_result_file("--per-token", arguments.needed("per-token"), ResultFile::losses); });
    OpenedRun run = open_run(folder, world);
    apply(arguments, run.recipe.evaluate);
    EvaluationReport report;
    Kept kept = Kept::nothing;
    std::vector<Change> changes = run.changes;
    Identity measured;
    {
        Terminal terminal(world.is_root());
        for (const std::string& warning : run.warnings) terminal.message(warning);
        Workbench bench(threads_of(arguments, world, terminal), world);
        const LoadedData* data = nullptr;
        std::vector<Change> texts;
        on_every_rank(world, [&] {
            data = &bench.data(run.recipe.data);
            texts = admit_text(run, *data, folder, arguments.has("allow-changed-corpus"));
        });
        for (const Change& change : texts) terminal.message(fmt::format("{}: {}", folder, text_of(change)));
        report = evaluate_run(run.recipe, *run.model, folder, bench, terminal);
        mark(report, texts);
        changes.insert(changes.end(), texts.begin(), texts.end());
        on_root(world, [&] {
            measured = measured_with(*run.model, *data, folder);
            kept = what_to_keep(arguments, folder, measured, terminal);
        });
    }
    on_root(world, [&] { deliver(arguments, report, folder, kept, measured, changes); });
    require(is_finite(report), Failure::numeric, "{}: no loss is finite, at any length", folder);
    return 0;
}

}  // namespace

int eval_command(const Words& words) {
    return with_ranks(words, [&](const Communicator& world) { return evaluate(words, world); });
}

}  // namespace locus
