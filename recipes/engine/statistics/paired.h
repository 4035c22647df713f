// Differences of two arms, run by run.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "recipes/engine/statistics/interval.h"

namespace locus {

/// A - B wherever both have a value.
struct PairedDifference {
    std::vector<std::optional<double>> values;  // of each pair; nothing where one of both lacks
    std::optional<double> mean;                 // of the pairs that are there
    std::optional<Interval> interval;           // Student's t over them; nothing below two
    std::optional<double> p;                    // of the sign-flip test; nothing below two

    std::size_t pairs() const;  // that are there

    /// Whether the interval leaves out 0: the one rule by which tables say that a difference is there.
    bool told() const { return interval && !interval->holds(0); }
};

/// Throws a usage Error for lists of different length.
PairedDifference paired_difference(std::span<const std::optional<double>> a,
                                   std::span<const std::optional<double>> b);

}  // namespace locus
