// The fitness of a search: loss on a fixed set of windows, the same for every candidate.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "recipes/engine/measure/windows.h"
#include "recipes/engine/run/workbench.h"
#include "recipes/engine/search/search_genes.h"
#include "recipes/engine/statistics/bootstrap.h"

namespace locus {

/// Windows of one length from the documents of a split.
class FixedWindows {
  public:
    /// `count` windows of `length` tokens that do not overlap, spread evenly over those that there are.
    FixedWindows(const Split& split, bool contiguous, Index length, Index count);

    Index windows() const { return static_cast<Index>(windows_.size()); }
    Index tokens() const;  // that are scored
    /// Nats of every scored token, on one thread.
    std::vector<double> nats(const Transformer& model) const;
    /// By document, or by block of a stream.
    const Clusters& clusters() const { return clusters_; }

  private:
    const Split& split_;
    std::vector<Window> windows_;
    Clusters clusters_;
};

/// What job(i, worker, row) puts into the rows i < count, [count, width]: spread over the ranks of the bench
/// and their workers, and the same on all ranks. What one rank throws, all throw.
std::vector<double> spread(Workbench& bench, Index count, Index width,
                           const std::function<void(Index i, int worker, std::span<double> row)>& job);

/// The model of `recipe` with the parameters of `trained` under another encoding.
std::unique_ptr<Transformer> under_encoding(const Recipe& recipe, const Transformer& trained,
                                            const EncodingOptions& encoding);

}  // namespace locus
