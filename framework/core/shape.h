// The extent of a tensor: up to six dimensions, held in place.
#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <string>

#include "framework/core/error.h"
#include "framework/core/scalar.h"

namespace locus {

/// Sizes of a row-major tensor, outermost first. Negative axes count from the end, as in NumPy.
class Shape {
  public:
    static constexpr int max_rank = 6;

    Shape() = default;
    Shape(std::initializer_list<Index> sizes) : Shape(std::span<const Index>(sizes.begin(), sizes.size())) {}
    explicit Shape(std::span<const Index> sizes);

    int rank() const { return rank_; }
    Index count() const;
    Index operator[](int axis) const { return sizes_[resolve(axis)]; }
    Index& operator[](int axis) { return sizes_[resolve(axis)]; }
    std::span<const Index> sizes() const { return {sizes_.data(), static_cast<std::size_t>(rank_)}; }

    /// Axis as a number in [0, rank). Throws when there is no such axis.
    int resolve(int axis) const;

    bool operator==(const Shape& other) const = default;

  private:
    std::array<Index, max_rank> sizes_{};
    int rank_ = 0;
};

/// "[2, 3, 4]"
std::string to_string(const Shape& shape);

/// Shape of an elementwise result under NumPy's broadcasting. Throws when the shapes do not fit.
Shape broadcast(const Shape& a, const Shape& b);

}  // namespace locus

template <>
struct fmt::formatter<locus::Shape> {
    constexpr auto parse(format_parse_context& context) { return context.begin(); }
    template <typename Context>
    auto format(const locus::Shape& shape, Context& context) const {
        return fmt::format_to(context.out(), "{}", locus::to_string(shape));
    }
};
