// The fitness of a search: loss on a fixed set of windows, the same for every candidate.
#pragma once

#include <memory>
#include <vector>

#include "recipes/engine/bootstrap.h"
#include "recipes/engine/search_genes.h"
#include "recipes/engine/windows.h"
#include "recipes/engine/workbench.h"

namespace locus::inline LOCUS_SCALAR {

/// Windows of one length from the documents of a split.
class FixedWindows {
  public:
    /// `count` windows of `length` tokens that do not overlap, spread evenly over those that there are.
    FixedWindows(const Split& split, bool contiguous, Index length, Index count);

    Index windows() const { return static_cast<Index>(windows_.size()); }
    /// Nats of every scored token, on one thread.
    std::vector<double> nats(const Transformer& model) const;
    /// By document, or by block of a stream.
    const Clusters& clusters() const { return clusters_; }

  private:
    const Split& split_;
    std::vector<Window> windows_;
    Clusters clusters_;
};

/// The model of `recipe` with the parameters of `trained` under another encoding.
std::unique_ptr<Transformer> under_encoding(const Recipe& recipe, const Transformer& trained,
                                            const EncodingOptions& encoding);

}  // namespace locus::inline LOCUS_SCALAR
