#include "framework/core/shape.h"

#include <algorithm>

namespace locus {

Shape::Shape(std::span<const Index> sizes) : rank_(static_cast<int>(sizes.size())) {
    require(sizes.size() <= max_rank, "shape: {} dimensions, at most {} are supported", sizes.size(),
            static_cast<int>(max_rank));
    std::copy(sizes.begin(), sizes.end(), sizes_.begin());
    for (Index size : sizes) require(size >= 0, "shape: a size is negative: {}", *this);
}

Index Shape::count() const {
    Index count = 1;
    for (Index size : sizes()) count *= size;
    return count;
}

int Shape::resolve(int axis) const {
    const int resolved = axis < 0 ? axis + rank_ : axis;
    require(resolved >= 0 && resolved < rank_, "shape: no axis {} in {}", axis, *this);
    return resolved;
}

std::string to_string(const Shape& shape) {
    std::string text = "[";
    for (Index size : shape.sizes()) {
        if (text.size() > 1) text += ", ";
        text += std::to_string(size);
    }
    return text + "]";
}

Shape broadcast(const Shape& a, const Shape& b) {
    if (a == b) return a;
    const int rank = std::max(a.rank(), b.rank());
    std::array<Index, Shape::max_rank> sizes{};
    for (int axis = 1; axis <= rank; ++axis) {
        const Index of_a = axis <= a.rank() ? a[-axis] : 1;
        const Index of_b = axis <= b.rank() ? b[-axis] : 1;
        require(of_a == of_b || of_a == 1 || of_b == 1, "broadcast: shapes {} and {} do not fit", a, b);
        sizes[static_cast<std::size_t>(rank - axis)] = of_a == 1 ? of_b : of_a;
    }
    return Shape(std::span<const Index>(sizes.data(), static_cast<std::size_t>(rank)));
}

}  // namespace locus
