// What a search knows so far, and how it is kept.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "recipes/engine/config/recipe.h"
#include "recipes/engine/identity/identity.h"
#include "recipes/engine/search/search_genes.h"

namespace locus {

struct SearchState {
    Index iteration = 0;              // the next one; 0 is the first population
    std::vector<Genes> population;    // the next parents, the fittest first
    std::vector<Genes> history;       // every candidate, in the order in which they were met
    std::map<Genes, double> fitness;  // of each: nats per token
    std::vector<double> best;         // fitness after each iteration
    std::map<Genes, double> pending;  // of candidates of the next iteration, which was stopped
    Identity identity;                // what it stood on when it began
    std::vector<Change> changes;      // of these, under which it went on
};

/// The recipe by which a stored search is known: more iterations of the same search go on from its state.
std::string search_identity(Recipe recipe);

/// {measured{thing: what it is}, changes[], iteration, best_fitness[], history[{steps, n_hat, fitness}],
/// parents[{steps, n_hat}]}, and pending[], as history, where an iteration was stopped
nlohmann::json to_json(const SearchState& state);

/// Throws a storage Error that names `path` for what is no such state.
SearchState read_search_state(const nlohmann::json& stored, const std::filesystem::path& path);

/// A line of JSON an iteration.
std::string progress_of(const SearchState& state);

}  // namespace locus
