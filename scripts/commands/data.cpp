#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "data/corpus_file.h"
#include "data/fetch.h"
#include "data/sources.h"
#include "framework/core/error.h"
#include "scripts/commands/arguments.h"
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

int build_data(const Words& words) {
    const Arguments arguments("data build INPUT... --out FILE", words,
                              {
                                  {"out", "HDF5 file to write", "FILE"},
                                  {"tokenizer", "how text becomes tokens", "NAME", "byte"},
                              });
    if (arguments.help()) return 0;
    require(!arguments.plain().empty(), "data build: expected at least one INPUT");
    const std::string out = arguments.needed("out");
    const Corpus corpus = corpus_from_paths(arguments.plain(), arguments.text("tokenizer"));
    write_corpus(corpus, out);
    put("{}: {} documents, {} tokens\n", out, corpus.documents.size(), corpus.tokens.size());
    return 0;
}

int data_info(const Words& words) {
    const Arguments arguments("data info FILE", words, {});
    if (arguments.help()) return 0;
    DataOptions options;
    options.corpus = arguments.subject("FILE");
    put("{}\n", describe(load_corpus(options)).dump(2));
    return 0;
}

}  // namespace

int data_command(const Words& words) {
    require(!words.empty(), "data: expected fetch, build or info");
    if (words.front() == "--help" || words.front() == "-h") {
        put("locus data fetch NAME [--out DIR]\nlocus data build INPUT... --out FILE\nlocus data info "
            "FILE\n");
        return 0;
    }
    const Words rest(words.begin() + 1, words.end());
    if (words.front() == "fetch") return fetch_data(rest);
    if (words.front() == "build") return build_data(rest);
    if (words.front() == "info") return data_info(rest);
    fail(Failure::usage, "data: expected fetch, build or info, found '{}'", words.front());
}

}  // namespace locus
