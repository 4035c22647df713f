#include <nlohmann/json.hpp>

#include "recipes/engine/search/search.h"

namespace locus {

using nlohmann::json;

json to_json(const SearchResult& result) {
    json out = {{"finished", result.finished},
                {"iterations", result.iterations},
                {"candidates", result.candidates},
                {"best_fitness", result.best_fitness},
                {"factors", result.factors},
                {"n_hat", result.n_hat},
                {"target_length", result.target_length},
                {"fragment", result.fragment},
                {"unseen", result.unseen},
                {"unseen_nats_per_token", result.unseen_nats},
                {"verdicts", json::array()}};
    for (const SearchVerdict& verdict : result.verdicts) {
        json entry = {{"against", verdict.against}, {"nats_per_token", verdict.nats}, {"gain", verdict.gain}};
        entry["interval"] =
            verdict.interval ? json{verdict.interval->low, verdict.interval->high} : json(nullptr);
        out["verdicts"].push_back(std::move(entry));
    }
    return out;
}

}  // namespace locus
