// Who may attend to whom, by index.
#pragma once

#include <cstdint>

#include "framework/autodiff/variable.h"
#include "framework/core/work_vector.h"

namespace locus {

/// An attention mask over absolute indices: key j has index j, query i has index query_offset + i (the offset
/// is the number of keys that a cache held before). Masks look at indices only, never at positions.
///
/// With w = window and d = dilation, a query with index i sees key j where |i - j| <= (w - 1) d and d divides
/// i - j, or where i or j is global (Longformer, arXiv:2004.05150); if causal, only where j <= i as well. A
/// key that is local and global counts once.
struct Mask {
    /// Which queries see anything: all, those of global tokens or those of the others. Two attentions, one of
    /// either kind, add up to a whole one: the rows that one leaves out are zero.
    enum class Rows { all, global, local };

    bool causal = true;  // a query sees keys up to its own index
    Index window = 0;    // number of keys that a query sees, itself included; 0: all. Both ways if not causal
    Index dilation = 1;  // step between the keys of a window
    Index global =
        0;  // the first tokens see and are seen without regard to the window; never against causality
    Index query_offset = 0;
    // Segments [B, Tq] and [B, Tk]; empty: all in one. A query sees its own; a negative one (padding) sees
    // nothing and is not seen.
    WorkVector<std::int32_t> query_segments = {}, key_segments = {};
    Rows rows = Rows::all;

    /// True when query i of sequence b sees key j, among `queries` and `keys`.
    bool allows(Index b, Index i, Index j, Index queries, Index keys) const;

    /// Throws unless offsets and segments fit [batch, queries] and [batch, keys].
    void check(Index batch, Index queries, Index keys) const;
};

/// What one query sees: keys first..last (none if first > last) whose index leaves `residue` when divided by
/// the mask's dilation; and keys below the mask's `global`, whatever they leave, up to `last`.
struct KeyRange {
    Index first, last;
    Index residue = any;
    static constexpr Index any = -1;
};

/// The mask of one sequence as ranges, so that kernels compare numbers and skip whole tiles.
struct MaskRanges {
    WorkVector<KeyRange> queries;  // [Tq]
    Index global = 0;              // keys that are seen in spite of `first` and `residue`
    Index dilation = 1;
    bool by_segment = false;  // the segments must be compared as well
};

MaskRanges mask_ranges(const Mask& mask, Index b, Index queries, Index keys);

}  // namespace locus

namespace locus {
inline namespace LOCUS_SCALAR {

/// scores [B, H, Tq, Tk] with -inf where the mask does not allow; no gradient flows there.
Variable masked(const Variable& scores, const Mask& mask);

}  // namespace LOCUS_SCALAR
}  // namespace locus
