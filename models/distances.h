#pragma once

#include "framework/ops/attention.h"

namespace locus::inline LOCUS_SCALAR {

/// A bias without a table whose map covers every distance between these positions; its rows are still to be
/// set.
inline DistanceBias distance_bias(const Positions& query, const Positions& key) {
    require(query.axes() == 1 && key.axes() == 1,
            "distance bias: expected one axis of positions, found {} and {}", query.axes(), key.axes());
    DistanceBias bias;
    bias.first = query.least() - key.greatest();
    bias.rows.resize(static_cast<std::size_t>(query.greatest() - key.least() - bias.first + 1));
    return bias;
}

/// A map of vectors that covers every distance between these positions, with rows in order of the distances;
/// the table is still to be set.
inline RelativeVectors relative_vectors(const Positions& query, const Positions& key) {
    DistanceBias bias = distance_bias(query, key);
    return {{}, bias.first, std::move(bias.rows)};
}

}  // namespace locus::inline LOCUS_SCALAR
