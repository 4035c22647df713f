// Behind the last attention every place stands for itself: where few are asked for, only these go on.
#pragma once

#include <span>
#include <vector>

#include "framework/autodiff/variable.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// The last `length` tokens of every sequence, and those of them that are asked for. Nothing is recorded.
struct Tail {
    /// The shortest that holds the places `asked` of [batch, whole].
    Tail(std::span<const Index> asked, Index batch, Index whole);

    Index length;
    std::vector<Index> places;  // of the last tokens, in [batch, whole]: [batch, length]
    std::vector<Index> kept;    // what is asked for, in [batch, length]

    /// The last tokens of states [B, T, width]: [B, length, width].
    Variable last_of(const Variable& x) const;
    /// Of these, what is asked for: [asked, width].
    Variable asked_of(const Variable& x) const;
};

}  // namespace LOCUS_SCALAR
}  // namespace locus
