#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "framework/distributed/together.h"
#include "recipes/engine/experiment/experiment.h"
#include "scripts/commands/arguments.h"
#include "scripts/commands/output.h"
#include "scripts/commands/ranks.h"
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

std::string label(const EvaluationResult& result, ProtocolKind kind) {
    if (result.bin) return fmt::format("[{}, {})", (*result.bin)[0], (*result.bin)[1]);
    return fmt::format("{} {}", kind == ProtocolKind::same_target ? "context" : "length", result.length);
}

void print(const EvaluationReport& report) {
    for (const ProtocolRun& run : report.runs) {
        put("{} on {} ({} {}, {}; start token: {}; tail: {})\n", text_of(run.protocol), run.split,
            run.documents, run.documents == 1 ? "document" : "documents", run.text, run.bos, run.tail);
        for (const EvaluationResult& result : run.results) {
            put("  {:<16}", label(result, run.protocol.kind));
            if (!result.nats_per_token) {
                put(" —  {}: {}\n", to_string(result.state), result.reason);
                continue;
            }
            put(" {:.4f} nats per token, {:.4f} bits per byte, perplexity {:.3f}, {} tokens",
                *result.nats_per_token, *result.bits_per_byte, *result.perplexity, result.tokens);
            if (result.gain) put(", gain {:+.4f}", *result.gain);
            put("\n");
        }
        if (run.effective_context) put("  effective context: {}\n", *run.effective_context);
        if (run.none_beyond) put("  effective context: none beyond {}\n", *run.none_beyond);
        for (const std::string& note : run.notes) put("  note: {}\n", note);
    }
}

int evaluate(const Words& words, const Communicator& world) {
    const Arguments arguments(
        "eval RUN [--lengths 64,128] [--protocol NAME[:ARG] ...]", words,
        {
            {"lengths", "tokens, separated by commas", "N,..."},
            {"protocol", "non_overlapping, sliding[:S], per_position, same_target; separated by commas",
             "NAME[:ARG],..."},
            {"split", "the documents that are scored", "valid|test"},
            {"threads", "worker threads", "N"},
            {"json", "one JSON document"},
        });
    if (arguments.help()) return 0;
    const std::string folder = arguments.subject("RUN");
    OpenedRun run = open_run(folder, world);
    apply(arguments, run.recipe.evaluate);
    const bool of_recipe = !arguments.has("lengths") && !arguments.has("protocol") && !arguments.has("split");
    EvaluationReport report;
    {
        Terminal terminal(world.is_root());
        for (const std::string& warning : run.warnings) terminal.message(warning);
        Workbench bench(threads_of(arguments, world, terminal), world);
        report = evaluate_run(run.recipe, *run.model, folder, bench, terminal);
        if (of_recipe)
            on_root(world, [&] { keep_evaluation(report, folder); });
        else
            terminal.message(
                "not kept: the evaluations of a run folder, from which its table is made, are those of its "
                "recipe");
    }
    if (!world.is_root()) return 0;
    if (arguments.has("json")) {
        put("{}\n", to_json(report).dump(2));
    } else {
        print(report);
    }
    return 0;
}

}  // namespace

int eval_command(const Words& words) {
    return with_ranks(words, [&](const Communicator& world) { return evaluate(words, world); });
}

}  // namespace locus
