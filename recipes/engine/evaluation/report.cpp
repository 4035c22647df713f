#include "recipes/engine/evaluation/report.h"

#include <nlohmann/json.hpp>

namespace locus {

nlohmann::json to_json(const EvaluationReport& report) {
    nlohmann::json runs = nlohmann::json::array();
    for (const Evaluation& run : report.runs) runs.push_back(to_json(run));
    return {{"runs", runs}};
}

}  // namespace locus
