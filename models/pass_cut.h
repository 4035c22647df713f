// How a pass is cut where its sequences differ: padding, documents, cached tokens, frequencies.
#pragma once

#include <utility>
#include <vector>

#include "models/kv_cache.h"
#include "models/transformer.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// A pass as one part, without masks and terms; segments are left to the masks.
std::vector<PassPart> whole_pass(const ForwardInput& input);

/// The parts of a pass, padding left out, without masks and terms. Throws where segments are no runs, or
/// where a cache meets more than one document a sequence.
std::vector<PassPart> cut_pass(const ForwardInput& input);

/// Whether sequences of a pass may be of another length than it is: padded, or packed.
bool has_lengths_of_their_own(const ForwardInput& input);

/// Runs of tokens [first, last) in which every sequence stays in one class of lengths: what the growing mode
/// runs in one go.
std::vector<std::pair<Index, Index>> cut_by_length(const ForwardInput& input,
                                                   const PositionalEncoding& encoding);

/// The tokens [first, last) of every sequence; `tokens` and `segments` become their memory.
ForwardInput slice_input(const ForwardInput& input, Index first, Index last, std::vector<Token>& tokens,
                         std::vector<std::int32_t>& segments);

}  // namespace LOCUS_SCALAR
}  // namespace locus
