// Means and intervals over runs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "recipes/engine/statistics/interval.h"

namespace locus {

/// Mean of one or more values, added in their order; throws a usage Error for none.
double mean_of(std::span<const double> values);

/// The t below which Student's distribution with `freedom` >= 1 degrees has the mass `probability`, 0.5 <= p
/// < 1.
double student_quantile(double probability, double freedom);

/// Student's t interval of the mean of independent runs: mean +- t(n - 1) s / sqrt(n); nothing for one run.
std::optional<Interval> student_interval(std::span<const double> values);

/// Differences of up to this many pairs are tested exactly.
inline constexpr std::size_t exact_pairs = 30;

/// The two-sided sign-flip test of paired differences: the share of the 2^n choices of signs whose sum is at
/// least as far from 0 as the one observed. Exact up to exact_pairs, beyond it (k + 1) / (m + 1) over m =
/// 131072 drawn choices, the same ones every time. Nothing for no value.
std::optional<double> sign_flip_p(std::span<const double> differences);

/// "exact sign-flip test", or what stands for it at so many pairs.
const char* sign_flip_method(std::size_t pairs);

/// At this level a test decides.
inline constexpr double test_level = 0.05;

/// The smallest number of pairs at which the sign-flip test can decide all of `contrasts` together: 2 / 2^n
/// survives Holm's first step.
int pairs_needed(std::size_t contrasts);

/// Holm's step-down correction (Scand. J. Stat. 6, 1979) of p values that belong together, in their order.
std::vector<double> holm_corrected(std::span<const double> p);

/// Wilson's interval of a proportion (J. Am. Stat. Assoc. 22, 1927), which has a width at 0 and at 1 too.
/// Throws a usage Error unless 0 <= successes <= trials and there is a trial.
Interval wilson_interval(std::int64_t successes, std::int64_t trials);

}  // namespace locus
