// Inside of the HDF5 files: handles that close themselves, types and the reason of a failure.
#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

#include "framework/io/hdf5.h"

namespace locus::hdf5 {

/// The version that this program was built for, and the one that runs.
std::string built_version();
std::string running_version();

/// Throws Error of `kind` where they differ, which HDF5 itself would answer by ending the program; unless
/// HDF5_DISABLE_VERSION_CHECK says that it may be tried.
void require_library(Failure kind);

/// An HDF5 handle and the function that closes it; negative when the call that made it failed.
class Handle {
  public:
    Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
    Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
    Handle& operator=(Handle&&) = delete;
    ~Handle() {
        if (id_ >= 0) close_(id_);
    }
    operator hid_t() const { return id_; }

  private:
    hid_t id_;
    herr_t (*close_)(hid_t);
};

/// An empty property list of a kind such as H5P_FILE_ACCESS.
Handle property_list(hid_t kind);

/// Properties of a new file, group or dataset: no times, so that equal content gives equal bytes.
Handle timeless(hid_t kind);

/// A group or dataset of `file`; negative where there is none.
Handle open_object(hid_t file, const std::string& name);

/// HDF5's own type for a number; it converts byte order while reading.
hid_t native_type(ElementType type);

/// What a type in a file is in Locus.
ElementType element_type_of(hid_t type);

/// The deepest line of HDF5's error stack, or "unknown reason".
std::string innermost_reason();

/// "runs/a.h5 (1234 bytes)", without the size where there is no file.
std::string describe_file(const std::filesystem::path& path);

/// Version of a superblock, and the bytes that its file should have (0 where it cannot be told).
struct Superblock {
    unsigned version = 0;
    std::uint64_t end = 0;
};
inline constexpr std::size_t superblock_size = 52;

/// Reads the first `superblock_size` bytes of a file (HDF5 file format specification, section II.A).
Superblock read_superblock(const unsigned char* head);

/// Throws unless the file at `path` looks like a whole HDF5 file of a version that can be read.
void check_file(const std::filesystem::path& path, Failure kind);

}  // namespace locus::hdf5
