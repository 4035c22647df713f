#include "framework/io/hdf5.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "framework/io/atomic_file.h"
#include "framework/io/hdf5_handle.h"
#include "framework/io/hdf5_image.h"
#include "framework/io/seal.h"

namespace locus {

using hdf5::Handle;

static_assert(std::is_same_v<hid_t, std::int64_t>, "HDF5 1.10 or later is needed");

namespace {

/// Calls `visit` with "a", "a/b" and "a/b/c" for the name "a/b/c" until it returns false.
template <typename Visit>
void each_prefix(const std::string& name, Visit visit) {
    for (std::size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
        if (!visit(name.substr(0, end)) || end == std::string::npos) return;
    }
}

}  // namespace

Hdf5File::Hdf5File(std::filesystem::path path, Failure kind, std::int64_t id)
    : path_(std::move(path)), kind_(kind), id_(id) {}

Hdf5File::Hdf5File(Hdf5File&& other) noexcept
    : image_(std::move(other.image_)),
      path_(std::move(other.path_)),
      kind_(other.kind_),
      id_(std::exchange(other.id_, -1)) {}

Hdf5File& Hdf5File::operator=(Hdf5File&& other) noexcept {
    std::swap(image_, other.image_);
    std::swap(path_, other.path_);
    std::swap(kind_, other.kind_);
    std::swap(id_, other.id_);
    return *this;
}

Hdf5File::~Hdf5File() {
    if (id_ >= 0) H5Fclose(id_);
}

void Hdf5File::refuse(const std::string& what) const {
    fail(kind_, "{}: {}", hdf5::describe_file(path_), what);
}

std::int64_t Hdf5File::check(std::int64_t result, const std::string& what) const {
    if (result < 0) refuse(fmt::format("{}: {}", what, hdf5::innermost_reason()));
    return result;
}

Hdf5File Hdf5File::open(const std::filesystem::path& path, Failure kind) {
    hdf5::require_library(kind);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    hdf5::check_file(path, kind);
    check_seal(path, kind);
    const Handle access = hdf5::property_list(H5P_FILE_ACCESS);
    H5Pset_file_locking(access, false,
                        true);  // files appear whole, and cluster file systems often have no locks
    Hdf5File file(path, kind, H5Fopen(path.c_str(), H5F_ACC_RDONLY, access));
    file.check(file.id_, "is damaged");
    return file;
}

Hdf5File Hdf5File::create(const std::filesystem::path& path, Failure kind) {
    hdf5::require_library(kind);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    const Handle access = hdf5::property_list(H5P_FILE_ACCESS);
    auto image = std::make_shared<Hdf5Image>();
    image->attach(access);
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
    Hdf5File file(path, kind,
                  H5Fcreate(path.c_str(), H5F_ACC_TRUNC, hdf5::timeless(H5P_FILE_CREATE), access));
    file.image_ = std::move(image);
    file.check(file.id_, "cannot be created");
    return file;
}

void Hdf5File::commit() {
    require(image_ != nullptr && id_ >= 0, "hdf5: commit belongs to a new file, once: {}", path_.string());
    check(H5Fclose(std::exchange(id_, -1)), "cannot be put together");
    const std::string seal = seal_of(image_->bytes());
    write_file_atomically(path_, {image_->bytes(), std::as_bytes(std::span(seal))}, kind_);
    image_.reset();
}

void Hdf5File::make_group(const std::string& name) {
    each_prefix(name, [&](const std::string& part) {
        if (contains(part)) return true;
        const Handle list = hdf5::timeless(H5P_GROUP_CREATE);
        const Handle group(H5Gcreate2(id_, part.c_str(), H5P_DEFAULT, list, H5P_DEFAULT), H5Gclose);
        check(group, fmt::format("cannot make group {}", part));
        return true;
    });
}

bool Hdf5File::contains(const std::string& name) const {
    if (name == "/") return true;
    bool found = true;
    each_prefix(name, [&](const std::string& part) {
        found = H5Lexists(id_, part.c_str(), H5P_DEFAULT) > 0;
        if (!found) return false;
        H5L_info_t link;
        check(H5Lget_info(id_, part.c_str(), &link, H5P_DEFAULT), fmt::format("{} is damaged", part));
        if (link.type != H5L_TYPE_HARD) refuse_link(part);
        return true;
    });
    return found;
}

void Hdf5File::refuse_link(const std::string& name) const {
    refuse(
        fmt::format("{} is a link to another place or file, expected a dataset or group of this file", name));
}

std::vector<Hdf5Dataset> Hdf5File::datasets(const std::string& group) const {
    struct Names {
        std::vector<std::string> hard, other;
    } found_names;
    const auto note = [](hid_t, const char* name, const H5L_info_t* link, void* list) -> herr_t {
        auto* names = static_cast<Names*>(list);
        (link->type == H5L_TYPE_HARD ? names->hard : names->other).emplace_back(name);
        return 0;
    };
    if (!contains(group)) refuse(fmt::format("there is no group {}", group));
    const Handle top = hdf5::open_object(id_, group);
    check(top, fmt::format("group {} is damaged", group));
    check(H5Lvisit(top, H5_INDEX_NAME, H5_ITER_INC, note, &found_names),
          fmt::format("group {} is damaged", group));
    if (!found_names.other.empty()) refuse_link(found_names.other.front());
    std::vector<std::string>& names = found_names.hard;
    std::sort(names.begin(), names.end());

    std::vector<Hdf5Dataset> found;
    for (const std::string& name : names) {
        const std::string full = group == "/" ? name : group + "/" + name;
        const Handle object = hdf5::open_object(id_, full);
        check(object, fmt::format("object {} is damaged", full));
        if (H5Iget_type(object) == H5I_DATASET) found.push_back(describe(full));
    }
    return found;
}

}  // namespace locus
