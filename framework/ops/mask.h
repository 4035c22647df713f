// Who may attend to whom, by index.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/autodiff/variable.h"
#include "framework/core/work_vector.h"

namespace locus {

/// An attention mask over absolute indices: key j has index j, query i has index query_offset + i (the offset
/// is the number of keys that a cache held before). Masks look at indices only, never at positions.
struct Mask {
    bool causal = true;  // a query sees keys up to its own index
    Index window = 0;    // number of keys that a query sees, itself included; 0: all. Both ways if not causal
    Index global =
        0;  // the first tokens see and are seen without regard to the window; never against causality
    Index query_offset = 0;
    // Segments [B, Tq] and [B, Tk]; empty: all in one. A query sees its own; a negative one (padding) sees
    // nothing and is not seen.
    std::vector<std::int32_t> query_segments = {}, key_segments = {};

    /// True when query i of sequence b sees key j, among `queries` and `keys`.
    bool allows(Index b, Index i, Index j, Index queries, Index keys) const;

    /// Throws unless offsets and segments fit [batch, queries] and [batch, keys].
    void check(Index batch, Index queries, Index keys) const;
};

/// What one query sees: keys first..last (none if first > last), those below `global` if they are <= last.
struct KeyRange {
    Index first, last;
};

/// The mask of one sequence as ranges, so that kernels compare numbers and skip whole tiles.
struct MaskRanges {
    WorkVector<KeyRange> queries;  // [Tq]
    Index global = 0;              // keys that are seen in spite of `first`
    bool by_segment = false;       // the segments must be compared as well
};

MaskRanges mask_ranges(const Mask& mask, Index b, Index queries, Index keys);

}  // namespace locus

namespace locus::inline LOCUS_SCALAR {

/// scores [B, H, Tq, Tk] with -inf where the mask does not allow; no gradient flows there.
Variable masked(const Variable& scores, const Mask& mask);

}  // namespace locus::inline LOCUS_SCALAR
