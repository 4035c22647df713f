#include "framework/io/hdf5_handle.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <system_error>

#include "framework/io/seal.h"

namespace locus {

const char* to_string(ElementType type) {
    switch (type) {
        case ElementType::float32:
            return "float32";
        case ElementType::float64:
            return "float64";
        case ElementType::uint8:
            return "uint8";
        case ElementType::uint16:
            return "uint16";
        case ElementType::int32:
            return "int32";
        case ElementType::int64:
            return "int64";
        case ElementType::uint64:
            return "uint64";
        case ElementType::text:
            return "text";
        case ElementType::other:
            break;
    }
    return "an unknown type";
}

std::size_t size_of(ElementType type) {
    const hid_t native = hdf5::native_type(type);
    return native < 0 ? 0 : H5Tget_size(native);
}

namespace hdf5 {

std::string built_version() {
    return fmt::format("{}.{}.{}", H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE);
}

std::string running_version() {
    unsigned major = 0, minor = 0, release = 0;
    H5get_libversion(&major, &minor, &release);
    return fmt::format("{}.{}.{}", major, minor, release);
}

void require_library(Failure kind) {
    const char* disabled = std::getenv("HDF5_DISABLE_VERSION_CHECK");
    if (disabled != nullptr && std::atoi(disabled) > 0) return;
    require(built_version() == running_version(), kind,
            "HDF5: this program was built for version {}, and the library that it finds is {}: set "
            "LD_LIBRARY_PATH to the one that it was built for, or build it anew",
            built_version(), running_version());
}

Handle property_list(hid_t kind) {
    return {H5Pcreate(kind), H5Pclose};
}

Handle timeless(hid_t kind) {
    Handle list = property_list(kind);
    H5Pset_obj_track_times(list, false);
    return list;
}

Handle open_object(hid_t file, const std::string& name) {
    return {H5Oopen(file, name.c_str(), H5P_DEFAULT), H5Oclose};
}

hid_t native_type(ElementType type) {
    switch (type) {
        case ElementType::float32:
            return H5T_NATIVE_FLOAT;
        case ElementType::float64:
            return H5T_NATIVE_DOUBLE;
        case ElementType::uint8:
            return H5T_NATIVE_UINT8;
        case ElementType::uint16:
            return H5T_NATIVE_UINT16;
        case ElementType::int32:
            return H5T_NATIVE_INT32;
        case ElementType::int64:
            return H5T_NATIVE_INT64;
        case ElementType::uint64:
            return H5T_NATIVE_UINT64;
        case ElementType::text:
        case ElementType::other:
            break;
    }
    return H5I_INVALID_HID;
}

ElementType element_type_of(hid_t type) {
    const H5T_class_t kind = H5Tget_class(type);
    if (kind == H5T_STRING) return ElementType::text;
    const std::size_t size = H5Tget_size(type);
    if (kind == H5T_FLOAT) {
        return size == 4 ? ElementType::float32 : size == 8 ? ElementType::float64 : ElementType::other;
    }
    if (kind != H5T_INTEGER) return ElementType::other;
    const bool with_sign = H5Tget_sign(type) == H5T_SGN_2;
    if (size == 1 && !with_sign) return ElementType::uint8;
    if (size == 2 && !with_sign) return ElementType::uint16;
    if (size == 4 && with_sign) return ElementType::int32;
    if (size == 8) return with_sign ? ElementType::int64 : ElementType::uint64;
    return ElementType::other;
}

std::string innermost_reason() {
    std::string reason;
    const auto take_first = [](unsigned depth, const H5E_error2_t* entry, void* text) -> herr_t {
        if (depth == 0 && entry->desc != nullptr) *static_cast<std::string*>(text) = entry->desc;
        return 0;
    };
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, &reason);
    return reason.empty() ? "unknown reason" : reason;
}

std::string describe_file(const std::filesystem::path& path) {
    std::error_code code;
    const auto size = std::filesystem::file_size(path, code);
    return code ? path.string() : fmt::format("{} ({} bytes)", path.string(), size);
}

Superblock read_superblock(const unsigned char* head) {
    Superblock result{head[8], 0};
    const bool old = result.version < 2;
    if (result.version > 3 || head[old ? 13 : 9] != 8) return result;
    const int offset = result.version == 0 ? 40 : result.version == 1 ? 44 : 28;
    for (int i = 7; i >= 0; --i) result.end = result.end << 8 | head[offset + i];
    return result;
}

namespace {

constexpr char signature[] = "\x89HDF\r\n\x1a\n";
constexpr std::uint64_t max_bytes = std::uint64_t{1}
                                    << 42;  // no file of Locus is larger: the number is wrong

// Whether at most two of the eight bytes differ from what an HDF5 file begins with.
bool almost_signed(const unsigned char* head) {
    int differences = 0;
    for (int i = 0; i < 8; ++i) differences += head[i] != static_cast<unsigned char>(signature[i]);
    return differences <= 2;
}

}  // namespace

void check_file(const std::filesystem::path& path, Failure kind) {
    std::error_code code;
    const auto status = std::filesystem::status(path, code);
    if (status.type() == std::filesystem::file_type::not_found)
        fail(kind, "{}: there is no such file", path.string());
    require(!code, kind, "{}: cannot be read: {}", path.string(), code.message());
    require(std::filesystem::is_regular_file(status), kind, "{}: is not a file", path.string());
    const auto size = std::filesystem::file_size(path, code);
    require(!code, kind, "{}: cannot be read: {}", path.string(), code.message());
    require(size > 0, kind, "{} (0 bytes): is empty", path.string());

    unsigned char head[superblock_size] = {};
    std::ifstream stream(path, std::ios::binary);
    require(stream.is_open(), kind, "{}: cannot be read: {}", describe_file(path), std::strerror(errno));
    stream.read(reinterpret_cast<char*>(head), superblock_size);
    if (std::memcmp(head, signature, 8) != 0) {
        // A file with a user block has its signature further on, and the library finds it.
        require(H5Fis_hdf5(path.c_str()) > 0, kind, "{}: is not an HDF5 file{}", describe_file(path),
                almost_signed(head) ? ", or its first bytes are damaged" : "");
        return;
    }
    require(stream.gcount() == superblock_size, kind, "{}: is cut off within its first block",
            describe_file(path));
    const Superblock superblock = read_superblock(head);
    require(superblock.version <= 3, kind,
            "{}: was written in another version of HDF5's format (superblock {}, expected 0 to 3), or its "
            "header is damaged",
            describe_file(path), superblock.version);
    require(superblock.end <= max_bytes, kind, "{}: is damaged: its header speaks of {} bytes",
            describe_file(path), superblock.end);
    // Without any seal it is another program's file, and check_seal says so.
    const std::uint64_t sealed = superblock.end + seal_size;
    require(sealed <= size || superblock.end == size, kind, "{}: is cut off, {} bytes expected",
            describe_file(path), sealed);
}

}  // namespace hdf5

}  // namespace locus
