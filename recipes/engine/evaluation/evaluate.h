// Loss of a model against length, by the protocols.
#pragma once

#include "data/tokenizer.h"
#include "recipes/engine/evaluation/evaluation_draft.h"
#include "recipes/engine/evaluation/score.h"
#include "recipes/engine/measure/plan.h"

namespace locus {

/// Scores `split` by every protocol of `plan`, each at every length. Nothing depends on training seeds,
/// threads, ranks or time: all arms meet the same tokens. Lengths that a learned table cannot hold, splits
/// that are too short and losses that are not finite become states of their results. Throws a usage Error for
/// a plan that makes no sense. What `draft` holds already is not scored again, and what is scored is put
/// there, so that it is not lost where the evaluation is stopped: then, on all ranks, an interrupted Error is
/// thrown.
EvaluationReport evaluate(const Transformer& model, const Split& split, const EvaluationPlan& plan,
                          const Tokenizer& tokenizer, Workers& workers, EvaluationProgress progress = nullptr,
                          const Communicator& group = {}, EvaluationDraft* draft = nullptr);

}  // namespace locus
