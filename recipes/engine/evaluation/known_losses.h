// Losses of windows that one length or protocol has run and another asks for again.
#pragma once

#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "recipes/engine/measure/windows.h"

namespace locus {

/// What a model said of windows that were scored whole. A loss depends on nothing but what the model saw, so
/// windows of per_position are those of non_overlapping, and where a token's loss does not depend on how many
/// follow it, a short window is the beginning of a long one with the same start.
class KnownLosses {
  public:
    /// `beginnings`: whether a window's first losses are those of a shorter window.
    explicit KnownLosses(bool beginnings) : beginnings_(beginnings) {}

    /// Remembers the windows that score all their places, with their losses in `nats`, [slots].
    void add(std::span<const Window> windows, const std::vector<double>& nats);

    /// Writes the losses that are known into `nats`, [slots]; returns the windows that are still to be run.
    std::vector<Window> fill(std::span<const Window> windows, std::vector<double>& nats) const;

  private:
    using Key = std::tuple<Index, Index, Index>;  // document, start, and inputs where they matter

    Key key(const Window& window) const {
        return {window.document, window.start, beginnings_ ? 0 : window.inputs};
    }

    bool beginnings_;
    std::map<Key, std::vector<double>> known_;
};

}  // namespace locus
