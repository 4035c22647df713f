#include "framework/io/folder_lock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "framework/core/error.h"
#include "framework/io/process_record.h"

namespace fs = std::filesystem;

namespace locus {

namespace {

constexpr std::size_t longest_record = 1024;

std::string lock_fault(int code) {
    return std::generic_category().message(code);
}

/// Makes what is missing of a folder; what it made, the outermost first.
std::vector<fs::path> make_folders(const fs::path& folder) {
    std::vector<fs::path> missing, made;
    std::error_code error;
    for (fs::path path = folder; !path.empty() && !fs::exists(path, error) && !error;
         path = path.parent_path())
        missing.push_back(path);
    for (auto path = missing.rbegin(); path != missing.rend(); ++path)
        if (fs::create_directory(*path, error)) made.push_back(*path);
    require(fs::is_directory(folder, error), Failure::storage, "{}: the folder cannot be made: {}",
            folder.string(), error ? error.message() : "there is a file of this name");
    return made;
}

/// Whether the file that is open is still the one of this name: its holder removes it.
bool is_named(int file, const fs::path& path) {
    struct stat open {
    }, named{};
    return ::fstat(file, &open) == 0 && ::stat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
           open.st_ino == named.st_ino;
}

/// 0, or why the lock was not given.
int ask_for_lock(int file) {
    struct flock whole {};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    while (::fcntl(file, F_OFD_SETLK, &whole) != 0)
        if (errno != EINTR) return errno;
    return 0;
}

std::string read_holder(int file) {
    std::string text(longest_record, '\0');
    const ssize_t count = ::pread(file, text.data(), text.size(), 0);
    text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return text.empty() ? "another process" : text.substr(0, text.find('\n'));
}

/// For people: the lock does not need it.
void write_holder(int file) {
    const ProcessRecord record = process_record();
    std::string text =
        fmt::format("process {} on {} since {}: {}", ::getpid(), record.host, record.date, record.command);
    text.resize(std::min(text.size(), longest_record - 1));
    text += '\n';
    if (::ftruncate(file, 0) != 0) return;
    [[maybe_unused]] const ssize_t written = ::pwrite(file, text.data(), text.size(), 0);
}

}  // namespace

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
    if (this == &other) return *this;
    release();
    path_ = std::move(other.path_);
    made_ = std::exchange(other.made_, {});
    file_ = std::exchange(other.file_, -1);
    warning_ = std::move(other.warning_);
    return *this;
}

void FolderLock::release() {
    if (file_ >= 0) {
        ::unlink(path_.c_str());  // before the lock ends: who waits sees that the name is gone
        ::close(std::exchange(file_, -1));
    }
    // Folders that are not empty stay.
    for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder) ::rmdir(folder->c_str());
    made_.clear();
}

std::optional<FolderLock> try_lock(const fs::path& folder, std::string& holder) {
    FolderLock lock;
    lock.made_ = make_folders(folder);
    lock.path_ = folder / ".locus-lock";
    for (;;) {
        lock.file_ = ::open(lock.path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        require(lock.file_ >= 0, Failure::storage, "cannot write {}: {}", lock.path_.string(),
                lock_fault(errno));
        const int code = ask_for_lock(lock.file_);
        if (code == EAGAIN || code == EACCES) {
            holder = read_holder(lock.file_);
            ::close(std::exchange(lock.file_, -1));
            return std::nullopt;
        }
        if (code != 0)
            lock.warning_ = fmt::format(
                "{}: the file system has no locks ({}): nothing keeps a second process from working here",
                folder.string(), lock_fault(code));
        if (code != 0 || is_named(lock.file_, lock.path_)) break;
        ::close(lock.file_);
    }
    write_holder(lock.file_);
    return lock;
}

FolderLock lock_folder(const fs::path& folder) {
    std::string holder;
    auto lock = try_lock(folder, holder);
    require(lock.has_value(), Failure::storage, "{}: is in use by {}", folder.string(), holder);
    return std::move(*lock);
}

}  // namespace locus
