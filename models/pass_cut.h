// How a pass is cut where its sequences differ: padding, documents, cached tokens, frequencies.
#pragma once

#include <vector>

#include "framework/core/batch.h"
#include "models/pass.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// A pass as one part, without masks and terms; segments are left to the masks.
std::vector<AttentionCall> whole_pass(const Batch& batch, const Pass& pass);

/// The parts of a pass, padding left out, without masks and terms. Throws where segments are no runs, or
/// where a cache meets more than one document per sequence.
std::vector<AttentionCall> cut_pass(const Batch& batch, const Pass& pass);

/// Whether sequences may be of another length than their batch: padded, or packed.
bool has_lengths_of_their_own(const Batch& batch);

/// Runs of tokens in which every sequence stays in one class of lengths, behind what `cache` holds of it:
/// what the growing mode runs in one go.
std::vector<TokenRun> cut_by_length(const Batch& batch, const KvCache& cache,
                                    const PositionalEncoding& encoding);

}  // namespace LOCUS_SCALAR
}  // namespace locus
