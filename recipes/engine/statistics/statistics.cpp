#include "recipes/engine/statistics/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "framework/core/error.h"
#include "framework/core/random.h"
#include "framework/core/stop.h"

namespace locus {

namespace {

constexpr double mass = 0.975;                         // below the upper end of a two-sided 95 % interval
constexpr double normal_quantile = 1.959963984540054;  // of the normal distribution, for that mass

// The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), by Lentz's method.
double beta_fraction(double a, double b, double x) {
    constexpr double tiny = 1e-300, enough = 1e-16;
    const auto kept = [](double value) { return std::abs(value) < tiny ? tiny : value; };
    double c = 1, d = 1 / kept(1 - (a + b) * x / (a + 1)), value = d;
    for (int m = 1; m < 10'000; ++m) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / kept(1 + even * d);
        c = kept(1 + even / c);
        value *= d * c;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / kept(1 + odd * d);
        c = kept(1 + odd / c);
        value *= d * c;
        if (std::abs(d * c - 1) < enough) break;
    }
    return value;
}

// I_x(a, b). The fraction converges fast below the mean of the distribution; above it, the mirror image does.
double incomplete_beta(double a, double b, double x) {
    if (x <= 0) return 0;
    if (x >= 1) return 1;
    const double front =
        std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
    if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

// Mass of Student's distribution above t >= 0.
double student_tail(double t, double freedom) {
    return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2;
}

// Sums that differ in their order only are equal: within this share of the sum of absolute values.
constexpr double rounding = 1e-12;
constexpr int drawn_choices = 131072;

// The sums of all choices of signs, ascending.
std::vector<double> signed_sums(std::span<const double> values) {
    std::vector<double> sums = {0};
    for (const double value : values) {
        const std::size_t count = sums.size();
        for (std::size_t i = 0; i < count; ++i) {
            sums.push_back(sums[i] + value);
            sums[i] -= value;
        }
    }
    std::sort(sums.begin(), sums.end());
    return sums;
}

// The share of the choices of signs whose sum is at least `bound` > 0 from 0. Each half of the differences
// has few sums; a sum of the one meets those of the other that take it far enough.
double exact_share(std::span<const double> differences, double bound) {
    const std::size_t half = differences.size() / 2;
    const auto first = signed_sums(differences.subspan(0, half)),
               second = signed_sums(differences.subspan(half));
    double far = 0;
    for (const double sum : first) {
        far +=
            static_cast<double>(second.end() - std::lower_bound(second.begin(), second.end(), bound - sum));
        far += static_cast<double>(std::upper_bound(second.begin(), second.end(), -bound - sum) -
                                   second.begin());
    }
    return far / static_cast<double>(first.size()) / static_cast<double>(second.size());
}

double drawn_share(std::span<const double> differences, double bound) {
    int far = 0;
    for (int choice = 0; choice < drawn_choices; ++choice) {
        throw_if_stopped();  // a table of many pairs draws for seconds
        RandomStream stream(0, Purpose::bootstrap, {static_cast<std::uint64_t>(choice), differences.size()});
        double sum = 0;
        for (std::size_t i = 0; i < differences.size(); ++i)
            sum += stream.below(2) == 0 ? differences[i] : -differences[i];
        if (std::abs(sum) >= bound) ++far;
    }
    return (far + 1.0) / (drawn_choices + 1.0);
}

}  // namespace

double mean_of(std::span<const double> values) {
    require(!values.empty(), "mean: expected one or more values, found none");
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double student_quantile(double probability, double freedom) {
    require(probability >= 0.5 && probability < 1 && freedom >= 1,
            "student quantile: expected 0.5 <= p < 1 and 1 degree of freedom or more, found {} and {}",
            probability, freedom);
    const double tail = 1 - probability;
    double low = 0, high = 1;
    while (student_tail(high, freedom) > tail) high *= 2;
    // Halved until the ends are neighbours or as good as that.
    for (int step = 0; step < 200 && low < high; ++step) {
        const double middle = low + (high - low) / 2;
        if (middle == low || middle == high) break;
        (student_tail(middle, freedom) > tail ? low : high) = middle;
    }
    return high;
}

std::optional<Interval> student_interval(std::span<const double> values) {
    if (values.size() < 2) return std::nullopt;
    const auto n = static_cast<double>(values.size());
    const double mean = mean_of(values);
    double squares = 0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    const double half = student_quantile(mass, n - 1) * std::sqrt(squares / (n - 1) / n);
    return Interval{mean - half, mean + half};
}

std::optional<double> sign_flip_p(std::span<const double> differences) {
    if (differences.empty()) return std::nullopt;
    double observed = 0, size = 0;
    for (const double difference : differences) {
        observed += difference;
        size += std::abs(difference);
    }
    const double bound = std::abs(observed) - rounding * size;
    if (bound <= 0) return 1;
    return differences.size() <= exact_pairs ? exact_share(differences, bound)
                                             : drawn_share(differences, bound);
}

const char* sign_flip_method(std::size_t pairs) {
    return pairs <= exact_pairs ? "exact sign-flip test" : "sign-flip test (131072 drawn choices of signs)";
}

int pairs_needed(std::size_t contrasts) {
    int pairs = 1;
    while (static_cast<double>(contrasts) * std::exp2(1 - pairs) > test_level) ++pairs;
    return pairs;
}

std::vector<double> holm_corrected(std::span<const double> p) {
    std::vector<std::size_t> order(p.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return p[a] < p[b]; });
    std::vector<double> corrected(p.size());
    double max = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        max = std::max(max, std::min(1.0, p[order[i]] * static_cast<double>(order.size() - i)));
        corrected[order[i]] = max;
    }
    return corrected;
}

Interval wilson_interval(std::int64_t successes, std::int64_t trials) {
    require(trials > 0 && successes >= 0 && successes <= trials,
            "wilson interval: expected 0 to n successes of n > 0 trials, found {} of {}", successes, trials);
    const auto n = static_cast<double>(trials);
    const double share = static_cast<double>(successes) / n, z = normal_quantile;
    const double middle = (share + z * z / (2 * n)) / (1 + z * z / n);
    const double half = z / (1 + z * z / n) * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
    // At the ends the formula gives 0 and 1 exactly, but for rounding.
    return {successes == 0 ? 0 : std::max(0.0, middle - half),
            successes == trials ? 1 : std::min(1.0, middle + half)};
}

}  // namespace locus
