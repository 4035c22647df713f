#include "framework/core/positions.h"

#include <algorithm>
#include <numeric>

#include "framework/core/error.h"

namespace locus {

Positions Positions::consecutive(Index length, std::int64_t start) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(length));
    std::iota(values.begin(), values.end(), start);
    return Positions(1, length, 1, std::move(values));
}

Positions::Positions(Index batch, Index length, Index axes, std::vector<std::int64_t> values)
    : batch_(batch),
      length_(length),
      axes_(axes),
      values_(std::make_shared<const std::vector<std::int64_t>>(std::move(values))) {
    require(batch >= 1 && length >= 0 && axes >= 1 && axes <= 3,
            "positions: expected [B, T, 1 to 3], found [{}, {}, {}]", batch, length, axes);
    require(static_cast<Index>(values_->size()) == batch * length * axes,
            "positions: [{}, {}, {}] needs {} values, found {}", batch, length, axes, batch * length * axes,
            values_->size());
}

Positions Positions::rows(Index first, Index count) const {
    if (batch_ == 1) return *this;
    require(first >= 0 && count >= 1 && first + count <= batch_,
            "positions: sequences {} to {} of a batch of {}", first, first + count - 1, batch_);
    Positions part = *this;
    part.offset_ += first * length_ * axes_;
    part.batch_ = count;
    return part;
}

bool Positions::is_consecutive() const {
    if (axes_ != 1) return false;
    for (Index b = 0; b < batch_; ++b) {
        for (Index t = 0; t < length_; ++t) {
            if ((*this)(b, t) == none || (t > 0 && (*this)(b, t) != (*this)(b, t - 1) + 1)) return false;
        }
    }
    return true;
}

std::int64_t Positions::least() const {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t* value = begin(); value != end(); ++value) {
        if (*value != none) least = std::min(least, *value);
    }
    return least == std::numeric_limits<std::int64_t>::max() ? 0 : least;
}

std::int64_t Positions::greatest() const {
    std::int64_t greatest = none;
    for (const std::int64_t* value = begin(); value != end(); ++value) greatest = std::max(greatest, *value);
    return greatest == none ? 0 : greatest;
}

}  // namespace locus
