#include "framework/io/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace locus {

namespace {

std::string reason(int code) {
    return std::generic_category().message(code);
}

/// A new file beside its destination; removed by the destructor unless it was renamed into place.
class TemporaryFile {
  public:
    TemporaryFile(const std::filesystem::path& target, Failure kind) : target_(target), kind_(kind) {
        // O_EXCL: two writers of one path never share a temporary file, whatever their process numbers.
        for (int attempt = 0; file_ < 0; ++attempt) {
            path_ = fmt::format("{}{}{}-{}", target.string(), temporary_mark, ::getpid(), attempt);
            file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
            if (file_ < 0 && errno != EEXIST) refuse(errno);
        }
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile() {
        if (file_ >= 0) ::close(file_);
        if (!path_.empty()) ::unlink(path_.c_str());
    }

    void write(std::span<const std::byte> bytes) {
        while (!bytes.empty()) {
            const ssize_t written = ::write(file_, bytes.data(), bytes.size());
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) refuse(errno);
            bytes = bytes.subspan(static_cast<std::size_t>(written));
        }
    }

    void move_into_place() {
        if (::fsync(file_) != 0) refuse(errno);
        const int file = std::exchange(file_, -1);
        if (::close(file) != 0) refuse(errno);
        if (::rename(path_.c_str(), target_.c_str()) != 0) refuse(errno);
        path_.clear();
        flush_folder();
    }

  private:
    [[noreturn]] void refuse(int code) const {
        fail(kind_, "cannot write {}: {}", target_.string(), reason(code));
    }

    /// Without this the new name may be lost in a power cut although the bytes are on the disk.
    void flush_folder() const {
        const std::filesystem::path folder = target_.has_parent_path() ? target_.parent_path() : ".";
        const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (file < 0) return;  // a folder may be writable and not readable
        const int code = ::fsync(file) == 0 ? 0 : errno;
        ::close(file);
        if (code == EIO || code == ENOSPC) refuse(code);  // others: the file system cannot flush a folder
    }

    std::filesystem::path target_;
    Failure kind_;
    std::string path_;
    int file_ = -1;
};

}  // namespace

void write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes,
                           Failure kind) {
    write_file_atomically(path, {bytes}, kind);
}

void write_file_atomically(const std::filesystem::path& path,
                           std::initializer_list<std::span<const std::byte>> parts, Failure kind) {
    struct stat info {};
    const bool exists = ::stat(path.c_str(), &info) == 0;
    require(!exists || S_ISREG(info.st_mode), kind, "cannot write {}: it exists and is not a file",
            path.string());
    TemporaryFile file(path, kind);
    for (const std::span<const std::byte> part : parts) file.write(part);
    file.move_into_place();
}

void write_file_atomically(const std::filesystem::path& path, std::string_view text, Failure kind) {
    write_file_atomically(path, std::as_bytes(std::span(text)), kind);
}

}  // namespace locus
