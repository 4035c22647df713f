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
      stride_(length),
      values_(std::make_shared<const std::vector<std::int64_t>>(std::move(values))) {
    require(batch >= 1 && length >= 0 && axes >= 1 && axes <= 3,
            "positions: expected [B, T, 1 to 3], found [{}, {}, {}]", batch, length, axes);
    require(static_cast<Index>(values_->size()) == batch * length * axes,
            "positions: [{}, {}, {}] needs {} values, found {}", batch, length, axes, batch * length * axes,
            values_->size());
    for (Index token = 0; token < batch * length && axes > 1; ++token) {
        const std::int64_t* first = values_->data() + token * axes;
        const auto lacking = std::count(first, first + axes, none);
        require(lacking == 0 || lacking == axes, "positions: token {} of sequence {} lacks {} of {} axes",
                token % length, token / length, lacking, axes);
    }
}

Positions Positions::slice(Index begin, Index count) const {
    require(begin >= 0 && count >= 0 && begin + count <= length_, "positions: {} tokens from {} of {}", count,
            begin, length_);
    Positions part = *this;
    part.offset_ += begin;
    part.length_ = count;
    return part;
}

bool Positions::operator==(const Positions& other) const {
    if (batch_ != other.batch_ || length_ != other.length_ || axes_ != other.axes_) return false;
    if (values_ == other.values_ && stride_ == other.stride_ && offset_ == other.offset_) return true;
    for (Index b = 0; b < batch_; ++b) {
        if (!std::equal(row(b), row(b) + length_ * axes_, other.row(b))) return false;
    }
    return true;
}

Positions Positions::rows(Index first, Index count) const {
    if (batch_ == 1) return *this;
    require(first >= 0 && count >= 1 && first + count <= batch_,
            "positions: sequences {} to {} of a batch of {}", first, first + count - 1, batch_);
    Positions part = *this;
    part.offset_ += first * stride_;
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

Positions Positions::slice(Index sequence, Index sequences, Index first, Index count) const {
    require(sequence >= 0 && sequences >= 1 && (batch_ == 1 || sequence + sequences <= batch_) &&
                first >= 0 && count >= 0 && first + count <= length_,
            "positions: sequences {} to {} and tokens {} to {} of [{}, {}]", sequence, sequence + sequences,
            first, first + count, batch_, length_);
    return rows(sequence, sequences).slice(first, count);
}

std::int64_t Positions::min() const {
    std::int64_t min = std::numeric_limits<std::int64_t>::max();
    for (Index b = 0; b < batch_; ++b) {
        for (const std::int64_t* at = row(b); at != row(b) + length_ * axes_; ++at) {
            if (*at != none) min = std::min(min, *at);
        }
    }
    return min == std::numeric_limits<std::int64_t>::max() ? 0 : min;
}

std::int64_t Positions::max() const {
    std::int64_t max = none;
    for (Index b = 0; b < batch_; ++b) {
        for (const std::int64_t* at = row(b); at != row(b) + length_ * axes_; ++at) {
            max = std::max(max, *at);
        }
    }
    return max == none ? 0 : max;
}

}  // namespace locus
