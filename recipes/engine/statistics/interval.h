#pragma once

namespace locus {

/// Where a number may lie: from low to high, both included.
struct Interval {
    double low = 0, high = 0;
    bool holds(double value) const { return low <= value && value <= high; }
    bool overlaps(const Interval& other) const { return low <= other.high && other.low <= high; }
};

}  // namespace locus
