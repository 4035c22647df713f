// From the losses of tokens to means, gains and their intervals.
#pragma once

#include "data/tokenizer.h"
#include "recipes/engine/evaluation/evaluation.h"

namespace locus {

/// Fills the numbers of every result that can be scored from run.losses, and marks those that diverged.
/// `train_length` bounds the effective context. Sums are added in double, in the order of the tokens.
void summarise(ProtocolRun& run, const Clusters& clusters, const Tokenizer& tokenizer, Index train_length);

}  // namespace locus
