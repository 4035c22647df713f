#include "framework/core/grid_positions.h"

#include <algorithm>

#include "framework/core/error.h"

namespace locus {

Positions grid_positions(Index rows, Index columns, bool cls) {
    require(rows >= 1 && columns >= 1, "grid positions: expected 1 row and column or more, found {} and {}",
            rows, columns);
    std::vector<std::int64_t> values;
    if (cls) values = {Positions::none, Positions::none};
    for (Index row = 0; row < rows; ++row) {
        for (Index column = 0; column < columns; ++column) values.insert(values.end(), {row, column});
    }
    return Positions(1, rows * columns + (cls ? 1 : 0), 2, std::move(values));
}

VisualPositions& VisualPositions::text(Index tokens) {
    require(tokens >= 0, "visual positions: expected 0 tokens or more, found {}", tokens);
    for (Index i = 0; i < tokens; ++i, ++next_) values_.insert(values_.end(), 3, next_);
    return *this;
}

VisualPositions& VisualPositions::block(Index frames, Index rows, Index columns) {
    require(frames >= 1 && rows >= 1 && columns >= 1,
            "visual positions: expected 1 frame, row and column or more, found {}, {} and {}", frames, rows,
            columns);
    for (Index t = 0; t < frames; ++t) {
        for (Index h = 0; h < rows; ++h) {
            for (Index w = 0; w < columns; ++w)
                values_.insert(values_.end(), {next_ + t, next_ + h, next_ + w});
        }
    }
    next_ += std::max({frames, rows, columns});
    return *this;
}

Positions VisualPositions::positions() const {
    return Positions(1, tokens(), 3, values_);
}

}  // namespace locus
