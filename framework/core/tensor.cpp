#include "framework/core/tensor.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "framework/core/arena.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

std::size_t bytes_of(Index count) {
    return static_cast<std::size_t>(count) * sizeof(Scalar);
}

// Parameters, gradients and moments are large.
std::shared_ptr<Scalar[]> heap_buffer(Index count) {
    std::size_t bytes = round_up(bytes_of(count) + arena_alignment, arena_alignment);
    const bool large = bytes >= huge_page;
    if (large) bytes = round_up(bytes, huge_page);
    auto* memory = static_cast<Scalar*>(std::aligned_alloc(large ? huge_page : arena_alignment, bytes));
    if (memory == nullptr) throw std::bad_alloc();
    if (large) madvise(memory, bytes, MADV_HUGEPAGE);  // advice only
    return std::shared_ptr<Scalar[]>(memory, [](Scalar* buffer) { std::free(buffer); });
}

}  // namespace

Tensor Tensor::empty(const Shape& shape) {
    const Index count = shape.count();
    if (Arena* arena = Arena::current()) {
        return Tensor(nullptr, static_cast<Scalar*>(arena->allocate(bytes_of(count))), shape);
    }
    auto owner = heap_buffer(count);
    Scalar* data = owner.get();
    return Tensor(std::move(owner), data, shape);
}

Tensor Tensor::zeros(const Shape& shape) {
    return full(shape, 0);
}

Tensor Tensor::full(const Shape& shape, Scalar value) {
    Tensor tensor = empty(shape);
    tensor.fill(value);
    return tensor;
}

Tensor Tensor::of(const Shape& shape, std::span<const Scalar> values) {
    require(static_cast<Index>(values.size()) == shape.count(), "tensor: {} needs {} values, found {}", shape,
            shape.count(), values.size());
    Tensor tensor = empty(shape);
    std::copy(values.begin(), values.end(), tensor.data());
    return tensor;
}

Tensor Tensor::view(Scalar* data, const Shape& shape) {
    return Tensor(nullptr, data, shape);
}

Tensor Tensor::reshaped(const Shape& shape) const {
    require(shape.count() == count(), "reshape: {} has {} values, {} has {}", shape_, count(), shape,
            shape.count());
    Tensor tensor = *this;
    tensor.shape_ = shape;
    return tensor;
}

Tensor Tensor::rows(Index begin, Index count) const {
    require(shape_.rank() >= 1 && begin >= 0 && count >= 0 && begin + count <= size(0),
            "rows: {} to {} of {}", begin, begin + count, shape_);
    Tensor tensor = *this;
    tensor.data_ += begin * (this->count() / std::max<Index>(size(0), 1));
    tensor.shape_[0] = count;
    return tensor;
}

Tensor Tensor::clone() const {
    return of(shape_, values());
}

void Tensor::fill(Scalar value) const {
    if (value == 0) {
        std::memset(data_, 0, bytes_of(count()));
    } else {
        std::fill_n(data_, count(), value);
    }
}

void Tensor::copy_from(const Tensor& other) const {
    require(shape_ == other.shape_, "copy: {} into {}", other.shape_, shape_);
    std::copy_n(other.data_, count(), data_);
}

void Tensor::recycle() {
    if (data_ != nullptr && owner_ == nullptr) {
        if (Arena* arena = Arena::current()) arena->recycle(data_, bytes_of(count()));
    }
    *this = Tensor();
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
