#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "data/corpus_file.h"
#include "data/fetch.h"
#include "data/sources.h"
#include "data/split_report.h"
#include "data/target.h"
#include "framework/core/error.h"
#include "scripts/commands/arguments.h"
#include "scripts/commands/data_show.h"
#include "scripts/commands/output.h"

namespace locus {

namespace {

int fetch_data(const Words& words) {
    const Arguments arguments(
        "data fetch NAME [--out DIR]", words,
        {
            {"out", "folder of the corpora; $LOCUS_DATA or ~/.cache/locus unless given", "DIR"},
        });
    if (arguments.help()) return 0;
    const auto out = arguments.has("out") ? std::filesystem::path(arguments.text("out")) : data_folder();
    const auto folder =
        fetch(arguments.subject("NAME"), out, [](const std::string& line) { tell("{}\n", line); });
    put("{}\n", folder.string());
    return 0;
}

void print_splits(const Corpus& corpus) {
    try {
        const Splits splits = split(corpus, {});
        for (const std::string& line : describe(splits, {})) put("  {}\n", line);
        for (const std::string& line : describe_overlap(splits)) put("  {}\n", line);
    } catch (const Error& error) {  // a corpus of test files alone is one, too
        put("  {}\n", error.what());
    }
}

int build_data(const Words& words) {
    const Arguments arguments(
        "data build INPUT... --out FILE", words,
        {
            {"out", "HDF5 file to write", "FILE"},
            {"format", "auto: by content; bytes: each file as it lies there", "NAME", "auto"},
            {"tokenizer", "how text becomes tokens", "NAME", "byte"},
            {"strict", "refuse what would be left out"},
            {"force", "replace a corpus that is there"},
        });
    if (arguments.help()) return 0;
    require(!arguments.plain().empty(), "data build: expected at least one INPUT");
    const std::string out = arguments.needed("out");
    const std::string format = arguments.text("format");
    require(format == "auto" || format == "bytes", "--format: expected auto or bytes, found '{}'", format);
    check_target(out, arguments.plain(), arguments.has("force"));
    const Corpus corpus =
        corpus_from_paths(arguments.plain(), {arguments.text("tokenizer"),
                                              format == "bytes" ? TextFormat::bytes : TextFormat::automatic,
                                              arguments.has("strict")});
    write_corpus(corpus, out);
    put("{}: {} documents, {} tokens\n", out, corpus.documents.size(), corpus.tokens.size());
    for (const std::string& line : corpus.intake.lines()) put("  {}\n", line);
    print_splits(corpus);
    return 0;
}

int data_info(const Words& words) {
    const Arguments arguments("data info FILE", words, {});
    if (arguments.help()) return 0;
    DataOptions options;
    options.corpus = arguments.subject("FILE");
    const Corpus corpus = load_corpus(options);
    nlohmann::json found = describe(corpus);
    try {
        found["splits"] = record(split(corpus, options));
    } catch (const Error& error) {  // nothing is left to train on
        found["splits"] = error.what();
    }
    put("{}\n", found.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    return 0;
}

}  // namespace

int data_command(const Words& words) {
    require(!words.empty(), "data: expected fetch, build, info or show");
    if (words.front() == "--help" || words.front() == "-h") {
        put("locus data fetch NAME [--out DIR]\nlocus data build INPUT... --out FILE [--format "
            "bytes] [--strict] [--force]\nlocus data info "
            "FILE\nlocus data show TASK [key=value ...] [--json]\n");
        return 0;
    }
    const Words rest(words.begin() + 1, words.end());
    if (words.front() == "fetch") return fetch_data(rest);
    if (words.front() == "build") return build_data(rest);
    if (words.front() == "info") return data_info(rest);
    if (words.front() == "show") return show_task(rest);
    fail(Failure::usage, "data: expected fetch, build, info or show, found '{}'", words.front());
}

}  // namespace locus
