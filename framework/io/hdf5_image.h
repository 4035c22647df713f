// The bytes of an HDF5 file that is built in memory.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <span>

namespace locus {

/// Owns the buffer of a file that HDF5's core driver writes, from the first byte until after the file was
/// closed.
///
/// H5Fget_file_image() is no way to these bytes: it clears a flag of the superblock behind its checksum.
class Hdf5Image {
  public:
    Hdf5Image() = default;
    Hdf5Image(const Hdf5Image&) = delete;
    Hdf5Image& operator=(const Hdf5Image&) = delete;
    ~Hdf5Image();

    /// Makes a file-access list build its file here. Throws nothing; returns a negative number on failure.
    herr_t attach(hid_t access);

    /// The whole file, once it is closed; empty before.
    std::span<const std::byte> bytes() const;

  private:
    static void* resize(void* buffer, std::size_t size, H5FD_file_image_op_t operation, void* self);
    static herr_t release(void* buffer, H5FD_file_image_op_t operation, void* self);

    std::byte* buffer_ = nullptr;  // from std::realloc, as the driver wants it
    std::size_t capacity_ = 0;
    bool closed_ = false;
};

}  // namespace locus
