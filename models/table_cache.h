// Tables that depend on positions only, made once for all workers and steps that ask for the same positions.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "framework/core/arena.h"
#include "framework/core/positions.h"
#include "framework/core/tensor.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// Keeps the tables of the positions (and length) that were asked for last. Thread-safe.
class TableCache {
  public:
    /// The tables for (positions, length); `make` is called where they are not at hand, with heap memory
    /// current.
    std::vector<Tensor> get(const Positions& positions, Index length,
                            const std::function<std::vector<Tensor>()>& make) const {
        {
            const std::lock_guard lock(mutex_);
            if (!tables_.empty() && length_ == length && positions_ == positions) return tables_;
        }
        // Made without the lock: where every sequence has positions of its own, no worker waits for another.
        const ArenaScope heap(nullptr);
        const std::vector<Tensor> tables = make();
        const std::lock_guard lock(mutex_);
        tables_ = tables;
        positions_ = positions;
        length_ = length;
        return tables;
    }

  private:
    mutable std::mutex mutex_;
    mutable Positions positions_;
    mutable Index length_ = -1;
    mutable std::vector<Tensor> tables_;
};

}  // namespace LOCUS_SCALAR
}  // namespace locus
