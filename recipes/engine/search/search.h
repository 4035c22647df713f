// LongRoPE's evolutionary search (arXiv:2402.13753) for the factors of a trained model.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "recipes/engine/config/vary.h"
#include "recipes/engine/run/reporter.h"
#include "recipes/engine/run/workbench.h"
#include "recipes/engine/statistics/interval.h"

namespace locus {

/// Loss on documents that the search did not see, against a rule without a search.
struct SearchVerdict {
    std::string against;  // yarn, ntk, ...
    double nats = 0;      // per token, of that rule
    double gain = 0;      // its loss - the found one's, token by token
    std::optional<Interval> interval;
};

struct SearchResult {
    bool finished = false;  // false: stopped, and saved
    Index iterations = 0;
    Index candidates = 0;              // that were evaluated
    std::vector<double> best_fitness;  // nats per token after each iteration, the first population's first
    std::vector<double> factors;       // [pairs]
    Index n_hat = 0;
    Index target_length = 0;
    std::string fragment;  // YAML: encoding.scaling of a recipe
    std::string unseen;    // the split of the verdicts, or why there are none
    double unseen_nats = 0;
    std::vector<SearchVerdict> verdicts;
};

nlohmann::json to_json(const SearchResult& result);

/// Searches for the model that `cell` begins with (`from.run`). `out` then holds recipe.yaml, search.json
/// (the state, from which a later call goes on), progress.jsonl and best.yaml, the recipe fragment. The
/// result depends on the recipe only, not on threads, ranks or interruptions; of the bench's ranks, rank 0
/// alone touches `out`. Throws a usage Error for a recipe without `from.run` or of an encoding without
/// frequency rules, a data Error where no document is long enough, and a storage Error.
SearchResult run_search(const Cell& cell, const std::filesystem::path& out, Workbench& bench,
                        Reporter& reporter);

}  // namespace locus
