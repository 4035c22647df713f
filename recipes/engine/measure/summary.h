// From the losses of tokens to means and their intervals.
#pragma once

#include "data/tokenizer.h"
#include "recipes/engine/measure/plan.h"

namespace locus {

/// Fills the numbers of every record that can be scored from run.losses, and marks those that diverged.
/// `train_length` bounds the effective context. Sums are added in double, in the order of the tokens.
void summarise(ProtocolRun& run, const Clusters& clusters, const Tokenizer& tokenizer, Index train_length);

/// Sum over the tokens that a record is about, and their number; `nats` are those of its window length.
TokenSum sum_of(const Evaluation& evaluation, const Record& record, const std::vector<Index>& indices,
                std::span<const double> nats);

}  // namespace locus
