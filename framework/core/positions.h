// Where tokens are. Made by the data or by a cache offset, never by an encoding.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "framework/core/scalar.h"

namespace locus {

/// Integer coordinates of tokens: [B or 1, T, axes]. One axis for text; two for image row and column; three
/// for video time, row and column. A batch of 1 is shared by every sequence. A token may have no position.
class Positions {
  public:
    static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();

    Positions() = default;

    /// Positions start, start + 1, ..., start + length - 1, shared by every sequence of a batch.
    static Positions consecutive(Index length, std::int64_t start = 0);

    /// values: [batch, length, axes], row-major. Throws when the count does not fit, or for a token that has
    /// a coordinate on some axes only.
    Positions(Index batch, Index length, Index axes, std::vector<std::int64_t> values);

    Index batch() const { return batch_; }
    Index length() const { return length_; }
    Index axes() const { return axes_; }
    std::int64_t operator()(Index b, Index t, Index axis = 0) const { return row(b)[t * axes_ + axis]; }

    /// Whether a token has a position.
    bool placed(Index b, Index t) const { return (*this)(b, t) != none; }

    /// The coordinates of sequence b: [length, axes].
    const std::int64_t* row(Index b) const {
        return values_->data() + ((batch_ == 1 ? 0 : b) * stride_ + offset_) * axes_;
    }

    /// Tokens begin .. begin + count of every sequence; shares the values.
    Positions slice(Index begin, Index count) const;

    /// The sequences first .. first + count; positions that are shared by all stay so. The values are shared.
    Positions rows(Index first, Index count) const;

    /// True where every token of every sequence stands one after the token before it (one axis).
    bool is_consecutive() const;

    std::int64_t min() const;  // over all tokens and axes that have a position; 0 if there is none
    std::int64_t max() const;  // likewise

    /// Tokens first .. first + count of sequences sequence .. sequence + sequences; where one row is shared
    /// by every sequence, it is that row.
    Positions slice(Index sequence, Index sequences, Index first, Index count) const;

    bool operator==(const Positions& other) const;

  private:
    Index batch_ = 1, length_ = 0, axes_ = 1;
    Index stride_ = 0, offset_ = 0;  // tokens of a stored sequence, and those before the first
    std::shared_ptr<const std::vector<std::int64_t>> values_ =
        std::make_shared<std::vector<std::int64_t>>();  // shared by copies
};

}  // namespace locus
