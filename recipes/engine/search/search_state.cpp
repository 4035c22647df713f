#include "recipes/engine/search/search_state.h"

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "recipes/engine/config/write.h"
#include "recipes/engine/run/workbench.h"

namespace locus {

namespace {

using nlohmann::json;

json genes_json(const Genes& genes) {
    return {{"steps", genes.steps}, {"n_hat", genes.n_hat}};
}

Genes genes_of(const json& stored) {
    return {stored.at("steps").get<std::vector<Index>>(), stored.at("n_hat").get<Index>()};
}

}  // namespace

std::string search_identity(Recipe recipe) {
    recipe.search.given = true;
    recipe.search.iterations = 1;
    return write_recipe(recipe, recipe_schema());
}

json to_json(const SearchState& state) {
    json out = {{"measured", to_json(state.identity)},
                {"changes", to_json(state.changes)},
                {"iteration", state.iteration},
                {"best_fitness", state.best},
                {"history", json::array()},
                {"parents", json::array()}};
    for (const Genes& genes : state.history) {
        out["history"].push_back(genes_json(genes));
        out["history"].back()["fitness"] = state.fitness.at(genes);
    }
    for (const Genes& genes : state.population) out["parents"].push_back(genes_json(genes));
    for (const auto& [genes, fitness] : state.pending) {
        out["pending"].push_back(genes_json(genes));
        out["pending"].back()["fitness"] = fitness;
    }
    return out;
}

SearchState read_search_state(const json& stored, const std::filesystem::path& path) {
    SearchState state;
    try {
        state.iteration = stored.at("iteration").get<Index>();
        state.best = stored.at("best_fitness").get<std::vector<double>>();
        for (const json& entry : stored.at("history")) {
            state.history.push_back(genes_of(entry));
            state.fitness[state.history.back()] = entry.at("fitness").get<double>();
        }
        if (stored.contains("pending"))
            for (const json& entry : stored.at("pending"))
                state.pending[genes_of(entry)] = entry.at("fitness").get<double>();
        for (const json& entry : stored.at("parents")) state.population.push_back(genes_of(entry));
        if (stored.contains("measured"))
            state.identity = identity_from(stored.at("measured"), path.string() + ": 'measured'");
        if (stored.contains("changes"))
            state.changes = changes_from(stored.at("changes"), path.string() + ": 'changes'");
    } catch (const json::exception& wrong) {
        fail(Failure::storage, "{}: not the state of a search: {}", path.string(), reason_of(wrong));
    }
    return state;
}

std::string progress_of(const SearchState& state) {
    std::string lines;
    for (std::size_t i = 0; i < state.best.size(); ++i)
        lines += json{{"iteration", i}, {"best_fitness", state.best[i]}}.dump() + "\n";
    return lines;
}

}  // namespace locus
