#include "models/tail.h"

#include <algorithm>

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

// Rows of [.., width] by their places: [places, width].
Tensor rows_at(const Variable& x, std::span<const Index> places) {
    const Index width = x.size(-1);
    MutableTensor out = Tensor::empty({static_cast<Index>(places.size()), width});
    for (std::size_t i = 0; i < places.size(); ++i)
        std::copy_n(x.value().data() + places[i] * width, width, out.data() + static_cast<Index>(i) * width);
    return out;
}

}  // namespace

Tail::Tail(std::span<const Index> asked, Index batch, Index whole) {
    Index first = whole;
    for (const Index place : asked) first = std::min(first, place % whole);
    length = whole - first;
    for (Index b = 0; b < batch; ++b)
        for (Index t = first; t < whole; ++t) places.push_back(b * whole + t);
    for (const Index place : asked) kept.push_back(place / whole * length + place % whole - first);
}

Variable Tail::last_of(const Variable& x) const {
    return rows_at(x, places).reshaped({x.size(0), length, x.size(-1)});
}

Variable Tail::asked_of(const Variable& x) const {
    return rows_at(x, kept);
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
