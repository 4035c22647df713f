#include "framework/io/hdf5_image.h"

#include <algorithm>
#include <cstdlib>

#include "framework/io/hdf5_handle.h"

namespace locus {

Hdf5Image::~Hdf5Image() {
    std::free(buffer_);
}

void* Hdf5Image::resize(void*, std::size_t size, H5FD_file_image_op_t, void* self) {
    auto* image = static_cast<Hdf5Image*>(self);
    auto* larger = static_cast<std::byte*>(std::realloc(image->buffer_, size));
    if (larger == nullptr) return nullptr;
    // Space between objects is never written, and it must not differ from one run to the next.
    if (size > image->capacity_) std::fill(larger + image->capacity_, larger + size, std::byte{0});
    image->buffer_ = larger;
    image->capacity_ = size;
    return larger;
}

herr_t Hdf5Image::release(void*, H5FD_file_image_op_t, void* self) {
    static_cast<Hdf5Image*>(self)->closed_ = true;
    return 0;
}

herr_t Hdf5Image::attach(hid_t access) {
    constexpr std::size_t step = 1 << 20;
    if (const herr_t result = H5Pset_fapl_core(access, step, false); result < 0) return result;
    H5FD_file_image_callbacks_t calls{};
    calls.image_malloc = [](std::size_t size, H5FD_file_image_op_t operation, void* self) {
        return resize(nullptr, size, operation, self);
    };
    calls.image_realloc = resize;
    calls.image_free = release;
    calls.udata_copy = [](void* self) { return self; };
    calls.udata_free = [](void*) { return herr_t{0}; };
    calls.udata = this;
    return H5Pset_file_image_callbacks(access, &calls);
}

std::span<const std::byte> Hdf5Image::bytes() const {
    if (!closed_ || capacity_ < hdf5::superblock_size) return {};
    const auto* head = reinterpret_cast<const unsigned char*>(buffer_);
    return {buffer_, std::min<std::size_t>(capacity_, hdf5::read_superblock(head).end)};
}

}  // namespace locus
