// What an evaluation found: the content of evaluations/ in a run folder.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "recipes/engine/measure/plan.h"

namespace locus {

struct EvaluationReport {
    std::vector<ProtocolRun> runs;
};

/// {"runs": [...]}, each as to_json(Evaluation) writes it.
nlohmann::json to_json(const EvaluationReport& report);

}  // namespace locus
