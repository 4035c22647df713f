#pragma once

namespace locus {

/// Where a number may lie: from low to high, both included.
struct Interval {
    double low = 0, high = 0;
    bool holds(double value) const { return low <= value && value <= high; }
};

}  // namespace locus
