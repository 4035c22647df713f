// What biases by distance are made of.
#pragma once

#include <algorithm>
#include <cstdlib>

#include "framework/ops/attention.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// A bias without a table whose map covers every distance between these positions; its rows are still to be
/// set.
inline DistanceBias distance_bias(const Positions& query, const Positions& key) {
    require(query.axes() == 1 && key.axes() == 1,
            "distance bias: expected one axis of positions, found {} and {}", query.axes(), key.axes());
    DistanceBias bias;
    bias.first = query.min() - key.max();
    bias.rows.resize(static_cast<std::size_t>(query.max() - key.min() - bias.first + 1));
    return bias;
}

/// A map of vectors that covers every distance between these positions, with rows in order of the distances;
/// the table is still to be set.
inline RelativeVectors relative_vectors(const Positions& query, const Positions& key) {
    DistanceBias bias = distance_bias(query, key);
    return {{}, bias.first, std::move(bias.rows)};
}

/// Gives every distance the row of its size, |distance|; returns the number of rows.
inline Index rows_by_size(DistanceBias& bias) {
    std::int64_t max = 0;
    for (std::size_t d = 0; d < bias.rows.size(); ++d) {
        const std::int64_t size = std::abs(bias.first + static_cast<std::int64_t>(d));
        bias.rows[d] = static_cast<std::int32_t>(size);
        max = std::max(max, size);
    }
    return max + 1;
}

/// How many of `rows` vectors, one per distance and the last for all beyond, a query of a causal window of
/// `length` meets, on average over the window: length / 2 where there is one for every distance.
inline double mean_rows_met(Index length, Index rows) {
    const auto met = static_cast<double>(std::min(length, rows));
    return met - met * met / (2 * static_cast<double>(length));
}

/// A row of numbers f(0), f(1), ..., f(count - 1) that a table of [H, count] is made from: [1, count].
template <typename F>
Variable row_of(Index count, const F& f) {
    MutableTensor row = Tensor::empty({1, count});
    for (Index d = 0; d < count; ++d) row.data()[d] = static_cast<Scalar>(f(static_cast<double>(d)));
    return row;
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
