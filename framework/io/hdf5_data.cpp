// Datasets and attributes of an HDF5 file.
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "framework/io/hdf5_handle.h"

namespace locus {

using hdf5::Handle;

namespace {

Handle make_space(const std::vector<Index>& shape) {
    if (shape.empty()) return Handle(H5Screate(H5S_SCALAR), H5Sclose);
    const std::vector<hsize_t> sizes(shape.begin(), shape.end());
    return Handle(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr), H5Sclose);
}

std::vector<Index> shape_of(hid_t space) {
    const int rank = std::max(0, H5Sget_simple_extent_ndims(space));
    std::vector<hsize_t> sizes(static_cast<std::size_t>(rank));
    if (rank > 0) H5Sget_simple_extent_dims(space, sizes.data(), nullptr);
    return {sizes.begin(), sizes.end()};
}

/// A text type of a fixed number of bytes, filled up with NULs: it needs no heap in the file.
Handle text_type(std::size_t bytes) {
    Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type, std::max<std::size_t>(bytes, 1));
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

/// The texts of a dataset or attribute, of fixed size; `read(type, buffer)` fills a buffer.
template <typename Read>
std::vector<std::string> texts_of(hid_t type, hid_t space, Read read) {
    const auto count = static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space)));
    std::vector<std::string> texts(count);
    if (count == 0) return texts;
    const std::size_t size = H5Tget_size(type);
    std::vector<char> bytes(count * size);
    read(type, bytes.data());
    const bool spaces = H5Tget_strpad(type) == H5T_STR_SPACEPAD;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string_view field(bytes.data() + i * size, size);
        const std::size_t end = spaces ? field.find_last_not_of(' ') + 1 : std::min(field.find('\0'), size);
        texts[i] = field.substr(0, end);
    }
    return texts;
}

/// A new text holding NULs would come back shorter; Locus never needs one.
void require_no_nul(const std::string& text, const std::string& name) {
    require(text.find('\0') == std::string::npos, "hdf5: the text of {} holds a NUL", name);
}

}  // namespace

void Hdf5File::create_dataset(const std::string& name, std::int64_t type, const std::vector<Index>& shape,
                              const void* data) {
    const std::size_t slash = name.rfind('/');
    if (slash != std::string::npos && slash > 0) make_group(name.substr(0, slash));
    const Handle list = hdf5::timeless(H5P_DATASET_CREATE);
    H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(list, H5D_FILL_TIME_NEVER);
    const Handle space = make_space(shape);
    const Handle dataset(H5Dcreate2(id_, name.c_str(), type, space, H5P_DEFAULT, list, H5P_DEFAULT),
                         H5Dclose);
    check(dataset, fmt::format("cannot make dataset {}", name));
    if (H5Sget_simple_extent_npoints(space) == 0) return;
    check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data),
          fmt::format("cannot write dataset {}", name));
}

void Hdf5File::write_bytes(const Hdf5Dataset& as, std::span<const std::byte> data) {
    const std::size_t size = size_of(as.type);
    require(size > 0, "hdf5: dataset {} of {} is not of numbers", as.name, to_string(as.type));
    std::size_t expected = 1;
    for (Index extent : as.shape) expected *= static_cast<std::size_t>(extent);
    require(data.size() == expected * size, "hdf5: dataset {} of shape [{}] needs {} elements, found {}",
            as.name, fmt::join(as.shape, ", "), expected, data.size() / size);
    create_dataset(as.name, hdf5::native_type(as.type), as.shape, data.data());
}

void Hdf5File::write_text(const std::string& name, const std::string& text) {
    require_no_nul(text, name);
    create_dataset(name, text_type(text.size()), {}, text.c_str());
}

void Hdf5File::write_texts(const std::string& name, const std::vector<std::string>& texts) {
    std::size_t width = 1;
    for (const std::string& text : texts) {
        require_no_nul(text, name);
        width = std::max(width, text.size());
    }
    std::string fields(width * texts.size(), '\0');
    for (std::size_t i = 0; i < texts.size(); ++i) texts[i].copy(fields.data() + i * width, width);
    create_dataset(name, text_type(width), {static_cast<Index>(texts.size())}, fields.data());
}

Hdf5Dataset Hdf5File::describe(const std::string& name) const {
    if (!contains(name)) refuse(fmt::format("there is no dataset {}", name));
    const Handle dataset(H5Dopen2(id_, name.c_str(), H5P_DEFAULT), H5Dclose);
    check(dataset, fmt::format("dataset {} cannot be opened", name));
    const Handle space(H5Dget_space(dataset), H5Sclose);
    const Handle type(H5Dget_type(dataset), H5Tclose);
    return {name, shape_of(space), hdf5::element_type_of(type)};
}

std::size_t Hdf5File::checked_count(const std::string& name, ElementType type) const {
    const Hdf5Dataset found = describe(name);
    if (found.type != type) {
        refuse(fmt::format("dataset {} is of {}, expected {}", name, to_string(found.type), to_string(type)));
    }
    const Handle dataset(H5Dopen2(id_, name.c_str(), H5P_DEFAULT), H5Dclose);
    return stored_elements(name, dataset, size_of(type));
}

/// The number of elements of a dataset of which each takes `size` bytes, once it is certain that they lie in
/// this file: nothing is allocated for a size that the file cannot hold.
std::size_t Hdf5File::stored_elements(const std::string& name, std::int64_t dataset, std::size_t size) const {
    const Handle space(H5Dget_space(dataset), H5Sclose);
    const Handle list(H5Dget_create_plist(dataset), H5Pclose);
    const auto count =
        static_cast<std::uint64_t>(check(H5Sget_simple_extent_npoints(space), name + " is damaged"));
    const H5D_layout_t layout = H5Pget_layout(list);
    const bool plain = (layout == H5D_CONTIGUOUS || layout == H5D_COMPACT) &&
                       H5Pget_external_count(list) == 0 && H5Pget_nfilters(list) == 0;
    if (!plain) {
        refuse(fmt::format(
            "dataset {} is chunked, filtered, virtual or lies in another file, expected a plain one", name));
    }
    const std::uint64_t stored = H5Dget_storage_size(dataset);
    if (stored / size != count || stored % size != 0) {
        refuse(fmt::format("dataset {} has {} elements, its shape needs {}", name, stored / size, count));
    }
    std::error_code code;
    const std::uint64_t bytes = std::filesystem::file_size(path_, code);
    const std::uint64_t place = H5Dget_offset(dataset);
    const bool inside = layout == H5D_COMPACT || count == 0 ||
                        (place != HADDR_UNDEF && place <= bytes && stored <= bytes - place);
    if (!image_ && !inside)
        refuse(fmt::format("dataset {} has {} bytes, which the file cannot hold", name, stored));
    return count;
}

void Hdf5File::read_raw(const std::string& name, ElementType type, void* data) const {
    const Handle dataset(H5Dopen2(id_, name.c_str(), H5P_DEFAULT), H5Dclose);
    check(H5Dread(dataset, hdf5::native_type(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, data),
          fmt::format("dataset {} cannot be read", name));
}

std::vector<std::byte> Hdf5File::read_bytes(const std::string& name) const {
    const ElementType type = describe(name).type;
    if (size_of(type) == 0)
        refuse(fmt::format("dataset {} is of {}, expected numbers", name, to_string(type)));
    std::vector<std::byte> data(checked_count(name, type) * size_of(type));
    read_raw(name, type, data.data());
    return data;
}

std::vector<std::string> Hdf5File::read_texts(const std::string& name) const {
    const Hdf5Dataset found = describe(name);
    if (found.type != ElementType::text) {
        refuse(fmt::format("dataset {} is of {}, expected text", name, to_string(found.type)));
    }
    const Handle dataset(H5Dopen2(id_, name.c_str(), H5P_DEFAULT), H5Dclose);
    const Handle space(H5Dget_space(dataset), H5Sclose);
    const Handle type(H5Dget_type(dataset), H5Tclose);
    if (H5Tis_variable_str(type) > 0)
        refuse(fmt::format("dataset {} is of texts of any size, expected a fixed one", name));
    stored_elements(name, dataset, H5Tget_size(type));
    return texts_of(type, space, [&](hid_t memory, void* buffer) {
        check(H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer),
              fmt::format("dataset {} cannot be read", name));
    });
}

std::string Hdf5File::read_text(const std::string& name) const {
    const std::vector<std::string> texts = read_texts(name);
    if (texts.size() != 1) refuse(fmt::format("dataset {} holds {} texts, expected one", name, texts.size()));
    return texts.front();
}

void Hdf5File::create_attribute(const std::string& object, const std::string& name, std::int64_t type,
                                const void* value) {
    const std::string what = fmt::format("attribute {} of {}", name, object);
    const Handle place = hdf5::open_object(id_, object);
    check(place, what);
    const Handle space = make_space({});
    const Handle attribute(H5Acreate2(place, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(attribute, what);
    check(H5Awrite(attribute, type, value), what);
}

void Hdf5File::set_attribute(const std::string& object, const std::string& name, const std::string& value) {
    require_no_nul(value, name);
    create_attribute(object, name, text_type(value.size()), value.c_str());
}

void Hdf5File::set_attribute(const std::string& object, const std::string& name, std::int64_t value) {
    create_attribute(object, name, H5T_NATIVE_INT64, &value);
}

bool Hdf5File::has_attribute(const std::string& object, const std::string& name) const {
    if (!contains(object)) return false;
    const htri_t found = H5Aexists_by_name(id_, object.c_str(), name.c_str(), H5P_DEFAULT);
    return check(found, fmt::format("the attributes of {} are damaged", object)) > 0;
}

std::string Hdf5File::text_attribute(const std::string& object, const std::string& name) const {
    const std::string what = fmt::format("attribute {} of {}", name, object);
    if (!has_attribute(object, name)) refuse(what + " is missing");
    const Handle attribute(H5Aopen_by_name(id_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
                           H5Aclose);
    check(attribute, what);
    const Handle space(H5Aget_space(attribute), H5Sclose);
    const Handle type(H5Aget_type(attribute), H5Tclose);
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0)
        refuse(what + " is not text of a fixed size");
    if (H5Sget_simple_extent_npoints(space) != 1) refuse(what + " is not one text");
    const auto texts = texts_of(
        type, space, [&](hid_t memory, void* buffer) { check(H5Aread(attribute, memory, buffer), what); });
    return texts.front();
}

std::int64_t Hdf5File::integer_attribute(const std::string& object, const std::string& name) const {
    const std::string what = fmt::format("attribute {} of {}", name, object);
    if (!has_attribute(object, name)) refuse(what + " is missing");
    const Handle attribute(H5Aopen_by_name(id_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
                           H5Aclose);
    check(attribute, what);
    const Handle space(H5Aget_space(attribute), H5Sclose);
    const Handle type(H5Aget_type(attribute), H5Tclose);
    const bool single = H5Sget_simple_extent_npoints(space) == 1;
    if (H5Tget_class(type) != H5T_INTEGER || !single) refuse(what + " is not an integer");
    std::int64_t value = 0;
    check(H5Aread(attribute, H5T_NATIVE_INT64, &value), what);
    return value;
}

}  // namespace locus
