#include "recipes/engine/statistics/bootstrap.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "framework/core/random.h"
#include "framework/core/stop.h"

namespace locus {

namespace {

constexpr std::uint64_t seed = 0;  // the same draws for every arm and training seed

bool can_be_drawn(const std::vector<TokenSum>& clusters) {
    return clusters.size() >= 2 && std::all_of(clusters.begin(), clusters.end(),
                                               [](const TokenSum& c) { return std::isfinite(c.nats); });
}

/// How often each cluster is drawn in one replicate.
std::vector<Index> draw(Index clusters, int replicate) {
    RandomStream stream(seed, Purpose::bootstrap, {static_cast<std::uint64_t>(replicate)});
    std::vector<Index> times(static_cast<std::size_t>(clusters), 0);
    for (Index i = 0; i < clusters; ++i) ++times[stream.below(static_cast<std::uint64_t>(clusters))];
    return times;
}

/// Linear interpolation between order statistics.
double quantile(const std::vector<double>& sorted, double share) {
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

double TokenSum::perplexity() const {
    return std::exp(mean());
}

Clusters make_clusters(std::span<const Index> keys, std::string unit) {
    Clusters clusters{{}, 0, std::move(unit)};
    clusters.of.reserve(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (i == 0 || keys[i] != keys[i - 1]) ++clusters.count;
        clusters.of.push_back(clusters.count - 1);
    }
    return clusters;
}

std::vector<TokenSum> sum_by_cluster(const Clusters& clusters, std::span<const double> values,
                                     const std::vector<bool>& tokens) {
    std::vector<TokenSum> sums(static_cast<std::size_t>(clusters.count));
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (tokens.empty() || tokens[i]) sums[static_cast<std::size_t>(clusters.of[i])].add({values[i], 1});
    }
    return sums;
}

std::vector<std::optional<Interval>> bootstrap(std::span<const std::vector<TokenSum>> statistics) {
    std::vector<std::vector<double>> means(statistics.size());
    for (int replicate = 0; replicate < bootstrap_replicates; ++replicate) {
        throw_if_stopped();
        std::vector<Index> times;
        for (std::size_t s = 0; s < statistics.size(); ++s) {
            if (!can_be_drawn(statistics[s])) continue;
            if (times.size() != statistics[s].size())
                times = draw(static_cast<Index>(statistics[s].size()), replicate);
            TokenSum sum;
            for (std::size_t c = 0; c < times.size(); ++c) {
                const TokenSum& cluster = statistics[s][c];
                sum.add({static_cast<double>(times[c]) * cluster.nats, times[c] * cluster.tokens});
            }
            if (sum.tokens > 0) means[s].push_back(sum.mean());
        }
    }
    std::vector<std::optional<Interval>> intervals(statistics.size());
    for (std::size_t s = 0; s < statistics.size(); ++s) {
        if (means[s].empty()) continue;
        std::sort(means[s].begin(), means[s].end());
        intervals[s] = Interval{quantile(means[s], 0.025), quantile(means[s], 0.975)};
    }
    return intervals;
}

std::string interval_method(const Clusters& clusters) {
    if (clusters.count < 2) return "none: fewer than 2 " + clusters.unit;
    return fmt::format("95 % percentile bootstrap, {} replicates over {} {}", bootstrap_replicates,
                       clusters.count, clusters.unit);
}

}  // namespace locus
