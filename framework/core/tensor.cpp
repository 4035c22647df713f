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

MutableTensor Tensor::empty(const Shape& shape) {
    const Index count = shape.count();
    if (Arena* arena = Arena::current()) {
        auto* data = static_cast<Scalar*>(arena->allocate(bytes_of(count)));
        return MutableTensor(nullptr, data, shape, Memory::arena);
    }
    auto owner = heap_buffer(count);
    Scalar* data = owner.get();
    return MutableTensor(std::move(owner), data, shape, Memory::owned);
}

MutableTensor Tensor::zeros(const Shape& shape) {
    return full(shape, 0);
}

MutableTensor Tensor::full(const Shape& shape, Scalar value) {
    MutableTensor tensor = empty(shape);
    tensor.fill(value);
    return tensor;
}

MutableTensor Tensor::of(const Shape& shape, std::span<const Scalar> values) {
    require(static_cast<Index>(values.size()) == shape.count(), "tensor: {} needs {} values, found {}", shape,
            shape.count(), values.size());
    MutableTensor tensor = empty(shape);
    std::copy(values.begin(), values.end(), tensor.data());
    return tensor;
}

Tensor Tensor::view(const Scalar* data, const Shape& shape) {
    return view(const_cast<Scalar*>(data), shape);  // read through a Tensor only
}

MutableTensor Tensor::view(Scalar* data, const Shape& shape) {
    return MutableTensor(nullptr, data, shape, Memory::borrowed);
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
    if (memory_ == Memory::arena) tensor.memory_ = Memory::borrowed;
    return tensor;
}

MutableTensor Tensor::clone() const {
    return of(shape_, values());
}

void Tensor::recycle() {
    if (data_ != nullptr && memory_ == Memory::arena) {
        if (Arena* arena = Arena::current()) arena->recycle(data_, bytes_of(count()));
    }
    *this = Tensor();
}

MutableTensor MutableTensor::reshaped(const Shape& shape) const {
    return MutableTensor(Tensor::reshaped(shape));
}

MutableTensor MutableTensor::rows(Index begin, Index count) const {
    return MutableTensor(Tensor::rows(begin, count));
}

void MutableTensor::fill(Scalar value) const {
    if (value == 0) {
        std::memset(data_, 0, bytes_of(count()));
    } else {
        std::fill_n(data_, count(), value);
    }
}

void MutableTensor::copy_from(const Tensor& other) const {
    require(shape_ == other.shape(), "copy: {} into {}", other.shape(), shape_);
    std::copy_n(other.data(), count(), data_);
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
