// The same tokens at several contexts: what more context brings, token by token.
#pragma once

#include "recipes/engine/measure/plan.h"

namespace locus {

inline const char* const gain_metric = "gain";

/// The coordinate `context` of a record, or 0.
Index context_of(const Record& record);

/// Loss at the fact baseline_context - loss at each context, with its paired interval.
void fill_gains(ProtocolRun& run, const Clusters& clusters);

/// Fills the fact effective_context: the largest c whose paired interval of G(c) - G(c / 2) lies above 0
/// while no context from the trained length to c is significantly harmful; below the trained length as well.
/// Where there is none, effective_context_none_beyond: the shortest context that a longer one was compared
/// with, or the baseline that none could better.
void find_effective_context(ProtocolRun& run, const Clusters& clusters, Index train_length);

}  // namespace locus
