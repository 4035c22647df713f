// Many sums at once, in double.
#pragma once

#include <algorithm>
#include <memory>

#include "framework/core/tensor.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// `count` sums that begin at 0. A running sum in single precision over all keys or tokens grows less exact
/// with their number; these are rounded once, when they are given.
class DoubleSums {
  public:
    explicit DoubleSums(Index count)
        : memory_(count * static_cast<Index>(sizeof(double) / sizeof(Scalar))),
          sums_(reinterpret_cast<double*>(memory_.data())),
          count_(count) {
        std::uninitialized_fill_n(sums_, count, 0.0);
    }

    void add(Index i, Scalar value) { sums_[i] += static_cast<double>(value); }

    /// to[i] = sum i for all i; the sums begin at 0 again.
    void give(Scalar* to) {
        std::transform(sums_, sums_ + count_, to, [](double sum) { return static_cast<Scalar>(sum); });
        std::fill_n(sums_, count_, 0.0);
    }

  private:
    Scratch memory_;
    double* sums_;
    Index count_;
};

}  // namespace LOCUS_SCALAR
}  // namespace locus
