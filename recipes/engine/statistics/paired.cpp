#include "recipes/engine/statistics/paired.h"

#include <algorithm>

#include "framework/core/error.h"
#include "recipes/engine/statistics/statistics.h"

namespace locus {

std::size_t PairedDifference::pairs() const {
    return static_cast<std::size_t>(
        std::count_if(values.begin(), values.end(), [](const auto& value) { return value.has_value(); }));
}

PairedDifference paired_difference(std::span<const std::optional<double>> a,
                                   std::span<const std::optional<double>> b) {
    require(a.size() == b.size(), "paired difference: expected as many values of B as of A, found {} and {}",
            b.size(), a.size());
    PairedDifference difference;
    std::vector<double> there;
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference.values.emplace_back();
        if (!a[i] || !b[i]) continue;
        difference.values.back() = *a[i] - *b[i];
        there.push_back(*difference.values.back());
    }
    if (there.empty()) return difference;
    difference.mean = mean_of(there);
    difference.interval = student_interval(there);
    if (there.size() > 1) difference.p = sign_flip_p(there);
    return difference;
}

}  // namespace locus
