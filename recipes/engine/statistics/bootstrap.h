// Means over tokens, and how far they could be off: the cluster bootstrap within a run.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/core/scalar.h"
#include "recipes/engine/statistics/interval.h"

namespace locus {

/// Loss summed over tokens, in double, and how many they are: the mean of windows or batches never stands for
/// their tokens.
struct TokenSum {
    double nats = 0;
    Index tokens = 0;

    void add(const TokenSum& other) {
        nats += other.nats;
        tokens += other.tokens;
    }
    double mean() const { return nats / static_cast<double>(tokens); }
    double perplexity() const;  // exp of the mean
};

/// What is drawn together, because its tokens are not independent: documents, or blocks of one stream.
struct Clusters {
    std::vector<Index> of;  // the cluster, 0 .. count - 1, of each scored token
    Index count = 0;
    std::string unit;  // "documents", or "blocks of 4096 tokens"
};

/// Numbers tokens by the clusters that they lie in, `keys` in ascending order; keys without tokens take no
/// part.
Clusters make_clusters(std::span<const Index> keys, std::string unit);

/// Sums of `values`, one per token, by cluster; `tokens` picks out those that take part, all where it is
/// empty.
std::vector<TokenSum> sum_by_cluster(const Clusters& clusters, std::span<const double> values,
                                     const std::vector<bool>& tokens = {});

inline constexpr int bootstrap_replicates = 1000;

/// 95 % percentile intervals of the token-weighted means of several statistics [statistic][cluster]. Each of
/// the 1000 replicates draws as many clusters as there are, with replacement, the same ones for every
/// statistic. Nothing for a statistic with fewer than 2 clusters or a value that is not finite.
std::vector<std::optional<Interval>> bootstrap(std::span<const std::vector<TokenSum>> statistics);

/// "95 % percentile bootstrap, 1000 replicates over 12 documents", or why there is no interval.
std::string interval_method(const Clusters& clusters);

}  // namespace locus
