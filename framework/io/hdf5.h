// HDF5 files: datasets, groups and attributes, with one clear line for every failure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "framework/core/error.h"
#include "framework/core/scalar.h"

namespace locus {

class Hdf5Image;

/// What a dataset is made of; `other` is anything that Locus does not write.
enum class ElementType { float32, float64, uint8, uint16, int32, int64, uint64, text, other };

/// "float32"
const char* to_string(ElementType type);

/// Bytes of one number; 0 for text and others.
std::size_t size_of(ElementType type);

/// The ElementType of a C++ type.
template <typename T>
constexpr ElementType element_type() {
    if constexpr (std::is_same_v<T, float>) return ElementType::float32;
    if constexpr (std::is_same_v<T, double>) return ElementType::float64;
    if constexpr (std::is_same_v<T, std::uint8_t>) return ElementType::uint8;
    if constexpr (std::is_same_v<T, std::uint16_t>) return ElementType::uint16;
    if constexpr (std::is_same_v<T, std::int32_t>) return ElementType::int32;
    if constexpr (std::is_same_v<T, std::int64_t>) return ElementType::int64;
    if constexpr (std::is_same_v<T, std::uint64_t>) return ElementType::uint64;
    return ElementType::other;
}

/// A dataset as it stands in a file; `name` is its full path without the leading slash; a scalar has an empty
/// shape.
struct Hdf5Dataset {
    std::string name;
    std::vector<Index> shape;
    ElementType type = ElementType::other;
};

/// An open HDF5 file. Only what Locus itself writes is read: plain datasets that lie in this file as a whole;
/// links, virtual or external datasets and filters are refused. The digest of the whole file is checked
/// before the library opens it. Every function throws Error of the kind given when the file was opened or
/// created.
///
/// A new file is built in memory and put on the disk whole by commit(); one that is never committed leaves no
/// trace. The same writes give the same bytes: no times are recorded, and the format is fixed to that of
/// HDF5 1.8, whose metadata carries checksums. Names are paths such as "parameters/head.weight"; missing
/// groups are made.
class Hdf5File {
  public:
    /// Opens for reading. Tells missing, empty, not HDF5, cut off, of another version and damaged files
    /// apart.
    static Hdf5File open(const std::filesystem::path& path, Failure kind);
    static Hdf5File create(const std::filesystem::path& path, Failure kind);

    Hdf5File(Hdf5File&& other) noexcept;
    Hdf5File& operator=(Hdf5File&& other) noexcept;
    ~Hdf5File();

    /// Closes the file that was created and writes it atomically (see write_file_atomically); the last call.
    void commit();

    void make_group(const std::string& name);
    bool contains(const std::string& name) const;

    /// All datasets below `group`, in the order of their names.
    std::vector<Hdf5Dataset> datasets(const std::string& group = "/") const;
    Hdf5Dataset describe(const std::string& name) const;

    /// Writes `data`, row-major, as a new dataset; `shape` must have as many elements as `data`.
    template <typename T>
    void write(const std::string& name, std::span<const Index> shape, std::span<const T> data) {
        static_assert(element_type<T>() != ElementType::other);
        write_bytes({name, {shape.begin(), shape.end()}, element_type<T>()}, std::as_bytes(data));
    }
    template <typename T>
    void write(const std::string& name, const std::vector<T>& data) {
        const Index shape[] = {static_cast<Index>(data.size())};
        write(name, std::span<const Index>(shape), std::span<const T>(data));
    }
    /// The same for numbers whose type is known only at run time.
    void write_bytes(const Hdf5Dataset& as, std::span<const std::byte> data);
    /// One text [], or a list of texts [N], in UTF-8; a text ends before its first NUL.
    void write_text(const std::string& name, const std::string& text);
    void write_texts(const std::string& name, const std::vector<std::string>& texts);

    /// The elements of a dataset, row-major; its type must be T exactly.
    template <typename T>
    std::vector<T> read(const std::string& name) const {
        static_assert(element_type<T>() != ElementType::other);
        std::vector<T> data(checked_count(name, element_type<T>()));
        read_raw(name, element_type<T>(), data.data());
        return data;
    }
    /// The same for numbers whose type is known only at run time.
    std::vector<std::byte> read_bytes(const std::string& name) const;
    std::string read_text(const std::string& name) const;
    std::vector<std::string> read_texts(const std::string& name) const;

    /// Scalar attributes of the file ("/"), a group or a dataset.
    void set_attribute(const std::string& object, const std::string& name, const std::string& value);
    void set_attribute(const std::string& object, const std::string& name, std::int64_t value);
    bool has_attribute(const std::string& object, const std::string& name) const;
    std::string text_attribute(const std::string& object, const std::string& name) const;
    std::int64_t integer_attribute(const std::string& object, const std::string& name) const;

    /// Throws the file's kind of Error: path, size and `what`.
    [[noreturn]] void refuse(const std::string& what) const;

    const std::filesystem::path& path() const { return path_; }

  private:
    Hdf5File(std::filesystem::path path, Failure kind, std::int64_t id);

    void create_dataset(const std::string& name, std::int64_t type, const std::vector<Index>& shape,
                        const void* data);
    void create_attribute(const std::string& object, const std::string& name, std::int64_t type,
                          const void* value);
    [[noreturn]] void refuse_link(const std::string& name) const;
    std::size_t stored_elements(const std::string& name, std::int64_t dataset, std::size_t size) const;
    std::size_t checked_count(const std::string& name, ElementType type) const;
    void read_raw(const std::string& name, ElementType type, void* data) const;
    std::int64_t check(std::int64_t result, const std::string& what) const;

    std::shared_ptr<Hdf5Image> image_;  // of a new file; outlives the handle
    std::filesystem::path path_;
    Failure kind_;
    std::int64_t id_;  // HDF5's handle (hid_t), so that its header stays out of this one
};

}  // namespace locus
