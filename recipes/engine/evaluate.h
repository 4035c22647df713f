// Loss of a model against length, by the protocols.
#pragma once

#include "data/tokenizer.h"
#include "recipes/engine/evaluate_plan.h"
#include "recipes/engine/score.h"

namespace locus::inline LOCUS_SCALAR {

/// Scores `split` by every protocol of `plan`, each at every length. Nothing depends on training seeds,
/// threads, ranks or time: all arms meet the same tokens. Lengths that a learned table cannot hold, splits
/// that are too short and losses that are not finite become states of their results. Throws a usage Error for
/// a plan that makes no sense.
EvaluationReport evaluate(const Transformer& model, const Split& split, const EvaluationPlan& plan,
                          const Tokenizer& tokenizer, Workers& workers, EvaluationProgress progress = nullptr,
                          const Communicator& group = {});

}  // namespace locus::inline LOCUS_SCALAR
