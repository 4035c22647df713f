#pragma once

#include "models/encoding.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// Rows of a pass that share one call of attention: a run of tokens of one sequence, or the same run of all.
struct PassPart {
    Index sequence = 0, sequences = 1;  // of the batch: sequence .. sequence + sequences
    Index first = 0, rows = 0;          // of the pass: tokens first .. first + rows
    Index length = 0;                   // whose frequencies they use
    Positions query, key;               // key: of the cached keys, then of the rows
    // Of the layer at hand:
    Mask mask = {};            // over these keys
    PositionTerms terms = {};  // key rotations are those that are still to be done
};

}  // namespace LOCUS_SCALAR
}  // namespace locus
