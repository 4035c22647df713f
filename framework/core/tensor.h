// A shape and a contiguous buffer of numbers. Knows nothing of gradients.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "framework/core/shape.h"

namespace locus {
inline namespace LOCUS_SCALAR {

class MutableTensor;

/// Handle to a row-major array that may be read. Copies share the buffer. A tensor made within an ArenaScope
/// lives until its arena is reset; one made outside owns its memory; a view borrows what its maker keeps
/// alive. Buffers are 64-byte aligned and padded by 64 bytes.
class Tensor {
  public:
    Tensor() = default;

    static MutableTensor empty(const Shape& shape);  // values are not set
    static MutableTensor zeros(const Shape& shape);
    static MutableTensor full(const Shape& shape, Scalar value);
    static MutableTensor of(const Shape& shape,
                            std::span<const Scalar> values);     // a copy; throws on another count
    static Tensor view(const Scalar* data, const Shape& shape);  // borrowed
    static MutableTensor view(Scalar* data, const Shape& shape);

    const Shape& shape() const { return shape_; }
    Index size(int axis) const { return shape_[axis]; }
    Index count() const { return shape_.count(); }
    const Scalar* data() const { return data_; }
    std::span<const Scalar> values() const { return {data_, static_cast<std::size_t>(count())}; }
    explicit operator bool() const { return data_ != nullptr; }

    Tensor reshaped(const Shape& shape) const;    // the same buffer; throws on another count
    Tensor rows(Index begin, Index count) const;  // borrowed: a run of the outermost axis
    MutableTensor clone() const;

    /// Gives arena memory back early; of a borrowed view it only lets go. REQUIRES: no other handle to the
    /// buffer is used afterwards.
    void recycle();

  protected:
    enum class Memory { owned, arena, borrowed };
    Tensor(std::shared_ptr<Scalar[]> owner, Scalar* data, const Shape& shape, Memory memory)
        : shape_(shape), data_(data), owner_(std::move(owner)), memory_(memory) {}

    Shape shape_;
    Scalar* data_ = nullptr;
    std::shared_ptr<Scalar[]> owner_;  // of owned memory
    Memory memory_ = Memory::owned;
};

/// Handle to an array that may be written: what functions fill is passed as one, and whoever holds only a
/// Tensor cannot come to have one of the same buffer.
class MutableTensor : public Tensor {
  public:
    MutableTensor() = default;

    Scalar* data() const { return data_; }
    std::span<Scalar> values() const { return {data_, static_cast<std::size_t>(count())}; }
    MutableTensor reshaped(const Shape& shape) const;
    MutableTensor rows(Index begin, Index count) const;

    void fill(Scalar value) const;
    void copy_from(const Tensor& other) const;  // shapes must be equal

  private:
    friend class Tensor;
    using Tensor::Tensor;
    explicit MutableTensor(Tensor tensor) : Tensor(std::move(tensor)) {}
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
    MutableTensor tensor_;
};

}  // namespace LOCUS_SCALAR
}  // namespace locus
