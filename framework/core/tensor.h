// A shape and a contiguous buffer of numbers. Knows nothing of gradients.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "framework/core/shape.h"

namespace locus {
inline namespace LOCUS_SCALAR {

/// Handle to a row-major array. Copies share the buffer. A tensor made within an ArenaScope lives until its
/// arena is reset; one made outside owns its memory. Buffers are 64-byte aligned and padded by 64 bytes.
class Tensor {
  public:
    Tensor() = default;

    static Tensor empty(const Shape& shape);  // values are not set
    static Tensor zeros(const Shape& shape);
    static Tensor full(const Shape& shape, Scalar value);
    static Tensor of(const Shape& shape, std::span<const Scalar> values);  // a copy; throws on another count
    static Tensor view(Scalar* data, const Shape& shape);  // borrowed: the caller keeps it alive

    const Shape& shape() const { return shape_; }
    Index size(int axis) const { return shape_[axis]; }
    Index count() const { return shape_.count(); }
    Scalar* data() const { return data_; }
    std::span<Scalar> values() const { return {data_, static_cast<std::size_t>(count())}; }
    explicit operator bool() const { return data_ != nullptr; }

    Tensor reshaped(const Shape& shape) const;    // the same buffer; throws on another count
    Tensor rows(Index begin, Index count) const;  // the same buffer: a run of the outermost axis
    Tensor clone() const;

    void fill(Scalar value) const;
    void copy_from(const Tensor& other) const;  // shapes must be equal

    /// Gives arena memory back early. REQUIRES: no other handle to the buffer is used afterwards.
    void recycle();

  private:
    Tensor(std::shared_ptr<Scalar[]> owner, Scalar* data, const Shape& shape)
        : shape_(shape), data_(data), owner_(std::move(owner)) {}

    Shape shape_;
    Scalar* data_ = nullptr;
    std::shared_ptr<Scalar[]> owner_;  // empty for arena memory and views
};

/// Working memory of a kernel: given back at the end of the scope.
class Scratch {
  public:
    explicit Scratch(Index count) : tensor_(Tensor::empty({count})) {}
    ~Scratch() { tensor_.recycle(); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    Scalar* data() const { return tensor_.data(); }

  private:
    Tensor tensor_;
};

}  // namespace LOCUS_SCALAR
}  // namespace locus
