#include <fmt/core.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "data/tokenizer.h"
#include "models/generate.h"
#include "recipes/engine/run/train_run.h"
#include "scripts/commands/arguments.h"
#include "scripts/commands/output.h"

namespace locus {

namespace {

using nlohmann::json;

double parse_number(const std::string& text, const std::string& option) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    require(error == std::errc() && end == text.data() + text.size(), "{}: expected a number, found '{}'",
            option, text);
    return value;
}

GenerateOptions parse_options(const Arguments& arguments) {
    GenerateOptions options;
    options.tokens = parse_count(arguments.needed("tokens"), "--tokens", 1);
    options.sampling.greedy = arguments.has("greedy");
    for (const char* drawn : {"temperature", "top-k", "top-p", "seed"})
        require(!options.sampling.greedy || !arguments.has(drawn),
                "--greedy takes the most probable token: --{} has no meaning", drawn);
    if (arguments.has("temperature"))
        options.sampling.temperature = parse_number(arguments.text("temperature"), "--temperature");
    if (arguments.has("top-k")) options.sampling.top_k = parse_count(arguments.text("top-k"), "--top-k", 1);
    if (arguments.has("top-p")) options.sampling.top_p = parse_number(arguments.text("top-p"), "--top-p");
    if (arguments.has("seed"))
        options.seed = static_cast<std::uint64_t>(parse_count(arguments.text("seed"), "--seed", 0, 1L << 62));
    options.growing = arguments.text("length") == "grow";
    if (arguments.has("length") && !options.growing)
        options.length = parse_count(arguments.text("length"), "--length (or grow)", 1);
    options.cache = !arguments.has("no-cache");
    require(options.cache || !arguments.has("chunk"), "--chunk has no meaning with --no-cache");
    if (arguments.has("chunk")) options.chunk = parse_count(arguments.text("chunk"), "--chunk", 1);
    for (const char* kept : {"window", "sinks"})
        require(options.cache || !arguments.has(kept), "--{} has no meaning with --no-cache", kept);
    if (arguments.has("window")) options.window = parse_count(arguments.text("window"), "--window", 1);
    if (arguments.has("sinks")) options.sinks = parse_count(arguments.text("sinks"), "--sinks", 1);
    return options;
}

json to_json(const GenerateOptions& options, const OpenedRun& run, Index prompt_tokens) {
    json out = {{"step", run.step},
                {"prompt_tokens", prompt_tokens},
                {"greedy", options.sampling.greedy},
                {"varies_by_length", run.model->encoding().varies_by_length()},
                {"cache", options.cache},
                {"chunk", options.chunk > 0 ? json(options.chunk) : json(nullptr)},
                {"window", options.window > 0 ? json(options.window) : json(nullptr)},
                {"sinks", options.sinks}};
    out["length"] = options.growing      ? json("grow")
                    : options.length > 0 ? json(options.length)
                                         : json(prompt_tokens + options.tokens);
    if (options.sampling.greedy) return out;
    out["temperature"] = options.sampling.temperature;
    out["top_k"] = options.sampling.top_k > 0 ? json(options.sampling.top_k) : json(nullptr);
    out["top_p"] = options.sampling.top_p;
    out["seed"] = options.seed;
    return out;
}

void write_now(const std::string& bytes) {
    put_text(bytes);
    flush_results();
}

}  // namespace

int sample_command(const Words& words) {
    const Arguments arguments(
        "sample RUN --prompt TEXT --tokens N", words,
        {
            {"prompt", "the text to go on from", "TEXT"},
            {"tokens", "tokens to be made", "N"},
            {"greedy", "always the most probable token"},
            {"temperature", "what logits are divided by", "X", "1"},
            {"top-k", "draw from the K most probable tokens", "K"},
            {"top-p", "draw from the most probable tokens that together have this probability", "P"},
            {"seed", "of the draws", "S", "0"},
            {"length",
             "whose frequencies are used; grow: each token those of its own length (default: prompt "
             "and tokens)",
             "N|grow"},
            {"no-cache", "a pass over the whole text for every token"},
            {"chunk", "tokens of the prompt in one pass (default: all)", "N"},
            {"window", "keys that a new token sees, itself included (default: as in training)", "W"},
            {"sinks", "first tokens that it sees as well", "S"},
            {"rate", "tell tokens per second at the end, as a message"},
            {"json", "one JSON document"},
        });
    if (arguments.help()) return 0;
    const std::string folder = arguments.subject("RUN");
    const GenerateOptions options = parse_options(arguments);
    const std::string prompt = arguments.needed("prompt");
    const OpenedRun run = open_run(folder);
    for (const std::string& warning : run.warnings) tell("{}\n", warning);
    require(
        !options.cache || !run.recipe.mask.global_projections,
        "{}: a cache knows no global projections (mask.global_projections); --no-cache samples without one",
        folder);
    if (arguments.has("length") && !run.model->encoding().varies_by_length())
        tell("--length changes nothing: the encoding {} does not vary by length\n", run.recipe.encoding.kind);

    const auto tokenizer = make_tokenizer(run.recipe.data.tokenizer);
    const std::vector<Token> begin = tokenizer->encode(prompt);
    const bool as_json = arguments.has("json");
    std::vector<Token> tokens;
    std::vector<double> nats;
    const auto start = std::chrono::steady_clock::now();
    generate(*run.model, {begin}, options, [&](const GeneratedStep& step) {
        tokens.push_back(step.tokens.front());
        nats.push_back(step.nats.front());
        if (!as_json) write_now(tokenizer->decode(step.tokens));
    });
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (as_json) {
        json out = to_json(options, run, static_cast<Index>(begin.size()));
        out["prompt"] = prompt;
        out["text"] = tokenizer->decode(tokens);  // bytes that are no UTF-8 are replaced: `tokens` is exact
        out["tokens"] = tokens;
        out["nats"] = nats;
        put("{}\n", out.dump(2, ' ', false, json::error_handler_t::replace));
    } else if (isatty(STDOUT_FILENO) == 1) {
        write_now("\n");  // for the shell's prompt; files and pipes get the text alone
    }
    if (!arguments.has("rate")) return 0;
    tell("{} tokens in {:.2f} s, {:.0f} tokens/s {} cache\n", tokens.size(), taken.count(),
         static_cast<double>(tokens.size()) / taken.count(), options.cache ? "with the" : "without a");
    return 0;
}

}  // namespace locus
