// Tables that depend on positions only, made once for all workers and steps that ask for the same positions.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "framework/core/arena.h"
#include "framework/core/positions.h"
#include "framework/core/tensor.h"

namespace locus::inline LOCUS_SCALAR {

/// Keeps the tables of the positions (and length) that were asked for last. Thread-safe.
class TableCache {
  public:
    /// The tables for (positions, length); `make` is called where they are not at hand, with heap memory
    /// current.
    std::vector<Tensor> get(const Positions& positions, Index length,
                            const std::function<std::vector<Tensor>()>& make) const {
        std::lock_guard lock(mutex_);
        if (tables_.empty() || length_ != length || !(positions_ == positions)) {
            ArenaScope heap(nullptr);
            tables_ = make();
            positions_ = positions;
            length_ = length;
        }
        return tables_;
    }

  private:
    mutable std::mutex mutex_;
    mutable Positions positions_;
    mutable Index length_ = -1;
    mutable std::vector<Tensor> tables_;
};

}  // namespace locus::inline LOCUS_SCALAR
