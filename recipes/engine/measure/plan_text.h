// What the protocols that score whole documents share.
#pragma once

#include <functional>

#include "recipes/engine/measure/plan.h"

namespace locus {

/// Every token of a document but its first, at every length of which there is a whole window. `stride`:
/// tokens that a window of a length moves by.
void plan_text(EvaluationJob& job, const EvaluationPlan& plan, TokenList& list, const Split& split,
               Index longest, const std::function<Index(Index length)>& stride);

}  // namespace locus
