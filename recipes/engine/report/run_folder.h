// What a run left behind, as a table needs it: its resolved recipe, its manifest, its evaluations.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recipes/engine/config/recipe.h"
#include "recipes/engine/identity/identity.h"

namespace locus {

/// Names of the metrics in files, in the order of Metric, and in words.
inline constexpr std::array<const char*, 4> metric_names = {"bits_per_byte", "nats_per_token", "perplexity",
                                                            "gain"};
inline constexpr std::array<const char*, 4> metric_units = {"bits per byte", "nats per token", "perplexity",
                                                            "gain in nats per token"};

/// One result of an evaluation: a length, a context or a bin, and its loss.
struct Score {
    std::optional<Index> length;                  // tokens: of the window, or of the visible context
    std::optional<std::pair<Index, Index>> bin;   // positions [low, high)
    std::array<std::optional<double>, 4> values;  // by Metric; nothing for null
    std::optional<Index> tokens;                  // that were scored
    std::optional<double> half_width;             // of nats_per_token's interval within this run
    std::string interval_method;
    std::string state;  // ok, beyond_table, ...
};

/// One protocol on one split.
struct Evaluation {
    std::string protocol;                      // sliding:16
    std::string split;                         // valid, test
    std::map<std::string, std::string> rules;  // unit, text, bos, tail, ...: as recorded
    std::vector<std::string> notes;
    std::optional<std::string> effective_context;  // of same_target: "128", "none beyond 64" or "not known"
    std::vector<Score> scores;
};

struct RunFolder {
    std::string name;  // of the folder
    std::map<std::string, std::vector<std::string>>
        recipe;                    // resolved, by dotted key; one item for a single value
    std::vector<Coordinate> cell;  // what varies, and its values here
    nlohmann::json manifest = nlohmann::json::object();
    std::string state;            // done, trained, failed, diverged, running, ... of the manifest
    Identity identity, measured;  // what its training and its evaluation stood on
    std::vector<Evaluation> evaluations;

    /// Whether its evaluations are those of a model whose training came to its end.
    bool finished() const { return state == "done" || state == "trained"; }
    /// Whether this axis is one of its cell.
    bool varies(const std::string& axis) const;
    /// The value of a dotted key: of the cell, else of the recipe, a list in brackets; "" where it has none.
    std::string value(const std::string& key) const;
    /// A field of the manifest as text, whatever its type; nothing where it is missing or null.
    std::optional<std::string> field(const std::string& name) const;
    std::optional<double> number(const std::string& name) const;
};

/// Reads one run folder. Throws a storage Error that names the file: no recipe.yaml, not YAML, not JSON, or a
/// field of a wrong type, or numbers that contradict each other. Missing fields, manifests and evaluations
/// are left empty.
RunFolder read_run_folder(const std::filesystem::path& folder);

struct RunFolders {
    std::vector<RunFolder> runs;
    std::vector<std::string> left_out;  // names of folders that are no cells of the recipe that was run last
};

/// Reads every run folder in `folder`, or `folder` itself where it is one: in the order of the recipe where
/// the manifests tell it (`index`), else by name. Throws a storage Error where there is none, and where the
/// runs belong to different experiments.
RunFolders read_run_folders(const std::filesystem::path& folder);

/// By value where both are numbers, numbers before texts, texts by their bytes.
bool natural_less(const std::string& a, const std::string& b);

}  // namespace locus
