#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "data/corpus_file.h"
#include "framework/io/checkpoint.h"
#include "scripts/commands/arguments.h"
#include "scripts/commands/output.h"

namespace locus {

namespace {

void print(const nlohmann::json& found) {
    for (const auto& [key, value] : found.items()) {
        if (key == "datasets") continue;
        put("{}: {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
    }
    for (const auto& dataset : found.value("datasets", nlohmann::json::array())) {
        put("  {:<48} {:<16} {}\n", dataset.value("name", ""), dataset["shape"].dump(),
            dataset.value("checksum", ""));
    }
}

// A corpus is read as data, all else is taken for a checkpoint: each fails with its own exit code.
nlohmann::json inspect_file(const std::string& file) {
    bool corpus = false;
    try {
        corpus = is_corpus_file(file);
    } catch (const Error&) {
        return inspect_checkpoint(file);
    }
    if (!corpus) return inspect_checkpoint(file);
    nlohmann::json found = describe(read_corpus(file));
    found["kind"] = "corpus";
    return found;
}

}  // namespace

int inspect_command(const Words& words) {
    const Arguments arguments("inspect FILE", words, {{"json", "one JSON document"}});
    if (arguments.help()) return 0;
    const std::string file = arguments.subject("FILE");
    const nlohmann::json found = inspect_file(file);
    if (arguments.has("json"))
        put("{}\n", found.dump(2));
    else
        print(found);
    return 0;
}

}  // namespace locus
